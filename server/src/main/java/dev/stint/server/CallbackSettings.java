package dev.stint.server;

import dev.stint.contracts.callback.AllowedTargets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The callback contract's own.
 *
 * @param publicUrl where workers reach this server, or null: where it listens
 * @param dispatchAllow what the URLs that tasks are delivered to must begin with
 * @param dispatchSecret that deliveries are signed with, or null: then the store has one
 * @param dispatchTimeoutSeconds within which a receiver must answer
 */
public record CallbackSettings(
    @Nullable String publicUrl,
    List<String> dispatchAllow,
    @Nullable String dispatchSecret,
    int dispatchTimeoutSeconds) {
  public static final CallbackSettings DEFAULT = new CallbackSettings(null, List.of(), null, 10);

  public CallbackSettings {
    publicUrl = publicUrl == null ? null : PublicUrl.checked(publicUrl);
    dispatchAllow = List.copyOf(dispatchAllow);
    targets(dispatchAllow);
    Settings.Security.longEnough("--dispatch-secret", dispatchSecret);
    Settings.atLeast("--dispatch-timeout-seconds", dispatchTimeoutSeconds, 1);
  }

  AllowedTargets targets() {
    return targets(dispatchAllow);
  }

  private static AllowedTargets targets(List<String> prefixes) {
    try {
      return AllowedTargets.of(prefixes);
    } catch (IllegalArgumentException e) {
      throw new SettingException("--dispatch-allow", "each prefix " + e.getMessage());
    }
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "CallbackSettings[" + publicUrl + ", " + dispatchAllow + "]";
  }
}
