package dev.stint.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate that nobody else has signed, and what is needed to show it and to trust it. */
public final class TestCertificate {
  private static final String ALIAS = "stint";
  private static final String PASSWORD = "changeit";
  private static final String KIND = "PKCS12";

  private final Path folder;
  private final KeyStore keys;
  private final KeyStore trusted;

  private TestCertificate(Path folder, KeyStore keys, KeyStore trusted) {
    this.folder = folder;
    this.keys = keys;
    this.trusted = trusted;
  }

  /**
   * Makes one with the JDK's keytool.
   *
   * @param folder a temporary one, which gets a folder with its files
   * @param names whose it is, such as {@code dns:localhost} or {@code ip:127.0.0.1}
   */
  public static TestCertificate make(Path folder, String... names)
      throws IOException, GeneralSecurityException, InterruptedException {
    Path own = Files.createTempDirectory(folder, "certificate");
    Path file = own.resolve("keys.p12");
    Path output = own.resolve("keytool.log");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                ALIAS,
                "-dname",
                "CN=test",
                "-ext",
                "san=" + String.join(",", names),
                "-storetype",
                KIND,
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!keytool.waitFor(60, TimeUnit.SECONDS)) {
      keytool.destroyForcibly().waitFor();
      throw new IllegalStateException("keytool does not end");
    }
    if (keytool.exitValue() != 0) {
      throw new IllegalStateException("keytool failed: " + Files.readString(output));
    }
    KeyStore keys = KeyStore.getInstance(KIND);
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyStore trusted = KeyStore.getInstance(KIND);
    trusted.load(null, null);
    trusted.setCertificateEntry(ALIAS, keys.getCertificate(ALIAS));
    return new TestCertificate(own, keys, trusted);
  }

  /** Shows this certificate, and trusts no other. */
  public SSLContext context() throws GeneralSecurityException {
    KeyManagerFactory shown =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    shown.init(keys, PASSWORD.toCharArray());
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(shown.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  /** Options with which a JVM trusts this certificate and no other. */
  public String trustingOptions() throws IOException, GeneralSecurityException {
    Path file = folder.resolve("trusted.p12");
    try (OutputStream out = Files.newOutputStream(file)) {
      trusted.store(out, PASSWORD.toCharArray());
    }
    return "-Djavax.net.ssl.trustStore=%s -Djavax.net.ssl.trustStorePassword=%s"
        .formatted(file, PASSWORD);
  }

  /** The certificate as a file in PEM. */
  public Path certificatePem() throws IOException, GeneralSecurityException {
    return pem("cert.pem", "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
  }

  /** Its private key as a file in PEM. */
  public Path keyPem() throws IOException, GeneralSecurityException {
    byte[] key = Objects.requireNonNull(keys.getKey(ALIAS, PASSWORD.toCharArray())).getEncoded();
    return pem("key.pem", "PRIVATE KEY", key);
  }

  private Path pem(String name, String kind, byte[] der) throws IOException {
    String base64 =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(der);
    return Files.writeString(
        folder.resolve(name),
        "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, base64, kind));
  }
}
