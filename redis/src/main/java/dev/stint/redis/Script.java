package dev.stint.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ValueListOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/**
 * A piece of work that Redis does as a whole, or not at all. It is sent once and then called by its
 * hash; a Redis that does not know it any more answers with {@link RedisNoScriptException}, and
 * wants to have it {@link #load loaded} again.
 */
public final class Script {
  private static final String[] NO_KEYS = {};

  private final String text;
  private final String hash;

  private Script(String text) {
    this.text = text;
    this.hash = sha1(text);
  }

  /** Reads a script that lies beside this class, with what all scripts share before it. */
  public static Script of(String name) {
    return new Script(read("common") + read(name));
  }

  /** The same with a part in front that may be all there is to do, and uses nothing of the rest. */
  static Script of(String first, String name) {
    return new Script(read(first) + read("common") + read(name));
  }

  private static String read(String name) {
    try (InputStream in =
        Objects.requireNonNull(Script.class.getResourceAsStream(name + ".lua"), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As Redis names scripts. */
  private static String sha1(String text) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-1");
      return HexFormat.of().formatHex(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sends it. */
  public RedisFuture<String> load(RedisAsyncCommands<String, String> redis) {
    return redis.scriptLoad(text);
  }

  /** Calls one that answers with a text; that is waited for later. */
  public RedisFuture<String> text(RedisAsyncCommands<String, String> redis, String... arguments) {
    return redis.evalsha(hash, ScriptOutputType.VALUE, NO_KEYS, arguments);
  }

  /** Calls one that takes packed arguments and answers with a list; that is waited for later. */
  RedisFuture<List<String>> list(RedisAsyncCommands<String, String> redis, List<byte[]> packed) {
    CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8).add(hash).add(0);
    packed.forEach(arguments::add);
    return redis.dispatch(CommandType.EVALSHA, new ValueListOutput<>(StringCodec.UTF8), arguments);
  }

  /** Calls one that answers with a text and waits; sends it first where that is needed. */
  public String text(RedisCommands<String, String> redis, String... arguments) {
    return evaluate(redis, ScriptOutputType.VALUE, arguments, String.class);
  }

  /** Calls one that answers with a list and waits; sends it first where that is needed. */
  public List<?> list(RedisCommands<String, String> redis, String... arguments) {
    return evaluate(redis, ScriptOutputType.MULTI, arguments, List.class);
  }

  private <T> T evaluate(
      RedisCommands<String, String> redis,
      ScriptOutputType type,
      String[] arguments,
      Class<T> answer) {
    try {
      return answer.cast(redis.evalsha(hash, type, NO_KEYS, arguments));
    } catch (RedisNoScriptException e) {
      return answer.cast(redis.eval(text, type, NO_KEYS, arguments));
    }
  }
}
