package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.engine.Store;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An SQLite file that cannot be used is left as it is, and one line says what to do. */
class SqliteUnusableTest {
  private static final FileTime LONG_AGO = FileTime.from(1_000_000, TimeUnit.SECONDS);

  @TempDir Path directory;
  private Path file = Path.of("");

  @BeforeEach
  void nameFile() {
    file = directory.resolve("stint.db");
  }

  @Test
  void aNewFileIsForItsOwnerOnly() throws IOException {
    try (Store store = open()) {
      store.transact(transaction -> transaction.nextDueAt());
      try (var files = Files.list(directory)) {
        for (Path each : files.toList()) {
          assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
              .as(each.toString())
              .isEqualTo("rw-------");
        }
      }
    }
  }

  @Test
  void aSecondServerIsRefused() {
    try (Store store = open()) {
      assertRefused("is in use by another server; stop that one, or name another file");
      store.now();
    }
    open().close();
  }

  @Test
  void anotherProcessIsRefused() throws Exception {
    open().close();
    Process holder = holdLockInAnotherProcess();
    try {
      assertRefused("is in use by another server");
    } finally {
      holder.destroy();
      holder.waitFor();
    }
    open().close();
  }

  @Test
  void twoNamesOfOneFileAreOneStore() throws IOException {
    try (Store store = open()) {
      Path link = Files.createSymbolicLink(directory.resolve("other.db"), file);
      assertThatThrownBy(() -> Stores.open(link.toString(), Clock.systemUTC()))
          .isInstanceOf(StoreUnusableException.class)
          .hasMessageContaining("in use");
      store.now();
    }
  }

  @Test
  void aNewerSchemaIsRefused() throws IOException {
    open().close();
    patch(60, 99);
    assertRefused("was written by a newer version of Stint (schema 99, this one knows 10)");
  }

  @Test
  void aFileThatIsNoDatabaseIsRefused() throws IOException {
    Files.writeString(file, "dear diary");
    assertRefused("is not a database; name another file, or move this one away");
    Files.writeString(file, "dear diary ".repeat(1_000));
    assertRefused("is not a database");
  }

  @Test
  void theDatabaseOfAnotherProgramIsRefused() throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE recipe (name TEXT)");
    }
    assertRefused("is the database of another program; name another file");
  }

  @Test
  void aDamagedDatabaseIsRefused() throws IOException {
    open().close();
    byte[] bytes = Files.readAllBytes(file);
    Arrays.fill(bytes, 100, bytes.length, (byte) 0x5a);
    Files.write(file, bytes);
    assertRefused("cannot be opened");
  }

  @Test
  void anEmptyFileIsTaken() throws IOException {
    Files.createFile(file);
    open().close();
    open().close();
  }

  @Test
  void aFileWhoseFirstStartWasCutShortIsTaken() throws IOException, SQLException {
    Path cut = directory.resolve("cut.db");
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + cut);
        Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA journal_mode = WAL");
      statement.execute("PRAGMA application_id = " + SqliteFile.APPLICATION_ID);
      Files.copy(cut, file);
    }
    assertThat(Files.size(file)).isPositive();
    open().close();
    open().close();
  }

  @Test
  void aFileThatNobodyMayWriteIsRefusedEvenForRoot() throws IOException {
    open().close();
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
    assertRefused("is read-only; make it writable");
  }

  @Test
  void aDirectoryThatNobodyMayWriteIsRefusedEvenForRoot() throws IOException {
    Path locked = Files.createDirectory(directory.resolve("locked"));
    file = locked.resolve("stint.db");
    Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("r-xr-xr-x"));
    try {
      assertRefused("is not writable");
      assertThat(file).doesNotExist();
    } finally {
      Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  @Test
  void aMissingDirectoryIsNamed() {
    file = directory.resolve("nowhere").resolve("stint.db");
    assertRefused("nowhere does not exist; make it, or name another");
  }

  @Test
  void aDirectoryIsNoFile() throws IOException {
    Files.createDirectory(file);
    assertThatThrownBy(this::open)
        .isInstanceOf(StoreUnusableException.class)
        .hasMessageContaining("is a directory; name a file in it");
  }

  @Test
  void aStartThatWasCutShortIsTakenUpAgain() throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA application_id = " + SqliteFile.APPLICATION_ID);
    }
    open().close();
  }

  @Test
  void whySettingsCannotBeReadIsTold() throws IOException {
    assertThat(Stores.setting(file.toString(), "any")).isEmpty();
    Files.createFile(file);
    assertSettingsRefused(file, "start the server of this version on it once");
    assertSettingsRefused(directory, "cannot be read: ");
    Path loop = Files.createSymbolicLink(directory.resolve("loop"), directory.resolve("loop"));
    assertSettingsRefused(loop, "cannot be read; run this as its owner");
    Files.writeString(file, "dear diary ".repeat(1_000));
    assertSettingsRefused(file, "cannot be read: ");
  }

  private static void assertSettingsRefused(Path db, String message) {
    assertThatThrownBy(() -> Stores.setting(db.toString(), "any"))
        .isInstanceOf(StoreUnusableException.class)
        .hasMessageContaining(message)
        .satisfies(e -> assertThat(String.valueOf(e.getMessage()).lines()).hasSize(1));
  }

  private Store open() {
    return Stores.open(file.toString(), Clock.systemUTC());
  }

  private void assertRefused(String message) {
    try {
      boolean exists = Files.exists(file);
      byte[] before = exists ? Files.readAllBytes(file) : new byte[0];
      if (exists) {
        Files.setLastModifiedTime(file, LONG_AGO);
      }
      assertThatThrownBy(this::open)
          .isInstanceOf(StoreUnusableException.class)
          .hasMessageContaining(message)
          .satisfies(e -> assertThat(String.valueOf(e.getMessage()).lines()).hasSize(1));
      if (exists) {
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(LONG_AGO);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void patch(int offset, int value) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(4).putInt(0, value), offset);
    }
  }

  private Process holdLockInAnotherProcess() throws IOException {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    LockHolder.class.getName(),
                    file + ".lock"))
            .redirectErrorStream(true)
            .start();
    assertThat(process.inputReader().readLine()).isEqualTo("locked");
    return process;
  }

  /** Another server, as far as the lock is concerned. */
  static final class LockHolder {
    private LockHolder() {}

    static void main(String[] args) throws Exception {
      try (FileChannel channel = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE)) {
        System.out.println(channel.tryLock() == null ? "refused" : "locked");
        Thread.sleep(60_000);
      }
    }
  }
}
