package dev.stint.storage;

import dev.stint.engine.StoreUnavailableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file of an SQLite store, held by a lock on the file beside it for as long as the store is
 * open. Everything is looked at before SQLite is let near it, as SQLite may write by opening.
 */
final class SqliteFile implements AutoCloseable {
  /** "Stnt", in SQLite's header: a database with another number belongs to another program. */
  static final int APPLICATION_ID = 0x53746e74;

  static final int SCHEMA_VERSION = 10;

  private static final byte[] MAGIC = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);
  private static final int HEADER_SIZE = 100;
  private static final int SCHEMA_COOKIE_OFFSET = 40;
  private static final int USER_VERSION_OFFSET = 60;
  private static final int APPLICATION_ID_OFFSET = 68;
  private static final Set<PosixFilePermission> ANY_WRITE =
      PosixFilePermissions.fromString("-w--w--w-");

  private final Path path;
  private final FileChannel lock;
  private volatile @Nullable Object key;

  private SqliteFile(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  /** Takes the file for this process alone, or says why it cannot be used. */
  static SqliteFile take(String db) {
    try {
      Path path = resolve(db);
      check(path);
      FileChannel lock = lock(path);
      try {
        check(path);
        createIfAbsent(path);
        return new SqliteFile(path, lock);
      } catch (IOException | RuntimeException e) {
        lock.close();
        throw e;
      }
    } catch (IOException e) {
      throw new StoreUnusableException(
          db + " cannot be read: " + e + "; check the path and its permissions", e);
    }
  }

  Path path() {
    return path;
  }

  /** From now on, with SQLite at work on it, its name has to stay with this very file. */
  void holdInPlace() {
    key = attributes().fileKey();
  }

  /**
   * SQLite goes on writing into a file that was removed or replaced, and all of that is gone when
   * it is closed: who was answered would have been told of what nobody can read again.
   */
  void checkInPlace() {
    BasicFileAttributes now = attributes();
    if (!Objects.equals(now.fileKey(), key) || now.size() == 0) {
      throw new StoreUnavailableException(missing());
    }
  }

  private BasicFileAttributes attributes() {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class);
    } catch (IOException e) {
      throw new StoreUnavailableException(missing(), e);
    }
  }

  private String missing() {
    return path
        + " was removed, replaced or emptied while in use; put it back, or stop the server and"
        + " restore it";
  }

  /** Whether nothing was ever made in it: it is new, or its first start was cut short. */
  boolean isNew() {
    try {
      return Files.size(path) == 0 || header(path).getInt(SCHEMA_COOKIE_OFFSET) == 0;
    } catch (IOException e) {
      throw new StoreUnusableException(path + " cannot be read; check its permissions", e);
    }
  }

  /** Lets others have it. The lock file stays, as removing it would race with who comes next. */
  @Override
  public void close() {
    try {
      lock.close();
    } catch (IOException e) {
      // The lock ends with the process in any case.
    }
  }

  static StoreUnusableException newer(Object db, long version) {
    return new StoreUnusableException(
        "%s was written by a newer version of Stint (schema %d, this one knows %d); use that one"
            .formatted(db, version, SCHEMA_VERSION),
        null);
  }

  /** The file's real path, so that two names of one file meet at one lock. */
  private static Path resolve(String db) throws IOException {
    Path path;
    try {
      path = Path.of(db).toAbsolutePath();
    } catch (InvalidPathException e) {
      throw new StoreUnusableException(db + " is not a path; name a file", e);
    }
    Path directory = path.getParent();
    if (directory == null || Files.isDirectory(path)) {
      throw new StoreUnusableException(db + " is a directory; name a file in it", null);
    }
    if (!Files.isDirectory(directory)) {
      throw new StoreUnusableException(
          "the directory " + directory + " does not exist; make it, or name another", null);
    }
    return Files.exists(path)
        ? path.toRealPath()
        : directory.toRealPath().resolve(path.getFileName());
  }

  private static void check(Path path) throws IOException {
    Path directory = path.resolveSibling("");
    if (!isWritable(directory)) {
      throw new StoreUnusableException(
          "the directory of " + path + " is not writable; make it so, or name another", null);
    }
    if (!Files.exists(path)) {
      return;
    }
    if (!Files.isRegularFile(path)) {
      throw new StoreUnusableException(path + " is not a file; name another", null);
    }
    if (!isWritable(path)) {
      throw new StoreUnusableException(path + " is read-only; make it writable", null);
    }
    if (Files.size(path) > 0) {
      checkHeader(path);
    }
  }

  private static void checkHeader(Path path) throws IOException {
    ByteBuffer header = header(path);
    if (header.hasRemaining() || !ByteBuffer.wrap(MAGIC).equals(header.slice(0, MAGIC.length))) {
      throw new StoreUnusableException(
          path + " is not a database; name another file, or move this one away", null);
    }
    boolean isNew = header.getInt(SCHEMA_COOKIE_OFFSET) == 0;
    if (!isNew && header.getInt(APPLICATION_ID_OFFSET) != APPLICATION_ID) {
      throw new StoreUnusableException(
          path + " is the database of another program; name another file", null);
    }
    int version = header.getInt(USER_VERSION_OFFSET);
    if (version > SCHEMA_VERSION) {
      throw newer(path, version);
    }
  }

  private static ByteBuffer header(Path path) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER_SIZE);
    try (FileChannel file = FileChannel.open(path)) {
      while (header.hasRemaining() && file.read(header) >= 0) {
        // until it is full or the file ends
      }
    }
    return header;
  }

  /** Also false if nobody has the permission, though root could do it all the same. */
  private static boolean isWritable(Path path) throws IOException {
    if (!Files.isWritable(path)) {
      return false;
    }
    if (!isPosix(path)) {
      return true;
    }
    return Files.getPosixFilePermissions(path).stream().anyMatch(ANY_WRITE::contains);
  }

  private static FileChannel lock(Path path) throws IOException {
    Path file = path.resolveSibling(path.getFileName() + ".lock");
    FileChannel channel =
        FileChannel.open(
            file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), ownerOnly(path));
    try {
      if (channel.tryLock() != null) {
        return channel;
      }
    } catch (OverlappingFileLockException e) {
      // Held by another store of this process.
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
    channel.close();
    throw new StoreUnusableException(
        path + " is in use by another server; stop that one, or name another file", null);
  }

  private static void createIfAbsent(Path path) throws IOException {
    try {
      Files.createFile(path, ownerOnly(path));
    } catch (FileAlreadyExistsException e) {
      // As it should be, except the first time.
    }
  }

  private static FileAttribute<?>[] ownerOnly(Path path) {
    return isPosix(path)
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
