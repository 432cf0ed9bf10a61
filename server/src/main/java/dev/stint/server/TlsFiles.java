package dev.stint.server;

import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import io.helidon.common.tls.Tls;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A certificate and its key, read from PEM files. */
final class TlsFiles {
  private TlsFiles() {}

  static @Nullable Tls load(Settings.Security.@Nullable Tls files) {
    if (files == null) {
      return null;
    }
    readable("--tls-cert", files.certificate());
    readable("--tls-key", files.key());
    try {
      Keys keys =
          Keys.builder()
              .pem(pem ->
                  pem.key(Resource.create(files.key()))
                      .certChain(Resource.create(files.certificate())))
              .build();
      return Tls.builder().privateKey(keys).privateKeyCertChain(keys).build();
    } catch (RuntimeException e) {
      throw new SettingException(
          "--tls-cert",
          "cannot use "
              + files.certificate()
              + " with "
              + files.key()
              + ": they must be PEM, the key unencrypted PKCS#8 and of that certificate");
    }
  }

  private static void readable(String setting, Path file) {
    if (!Files.isReadable(file)) {
      throw new SettingException(setting, "cannot read " + file);
    }
  }
}
