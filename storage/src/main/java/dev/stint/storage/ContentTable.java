package dev.stint.storage;

import dev.stint.engine.JobContent;
import dev.stint.engine.Scope;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How a {@link JobContent} becomes a row of {@code job_content} and a row a content. */
final class ContentTable {
  static final Columns VALUES =
      Columns.texts("contract", "task", "payload", "metadata")
          .and(Columns.texts("tenant", "workspace", "run", "attributes"));

  static final Columns ALL = Columns.uuids("job_id").and(VALUES);

  private ContentTable() {}

  static void write(RowSink row, UUID jobId, JobContent content) throws SQLException {
    Scope scope = content.scope();
    row.uuid(jobId)
        .text(content.contract())
        .text(content.task())
        .text(content.payload())
        .text(content.metadata())
        .text(scope.tenant())
        .text(scope.workspace())
        .text(scope.run())
        .text(content.attributes())
        .endRow();
  }

  /** Reads {@link #VALUES}. */
  static JobContent read(RowReader row) throws SQLException {
    return new JobContent(
        row.text(),
        row.textOrNull(),
        row.text(),
        row.textOrNull(),
        new Scope(row.textOrNull(), row.textOrNull(), row.textOrNull()),
        row.textOrNull());
  }

  /** How many characters of any length it may have. */
  static int length(JobContent content) {
    return content.payload().length() + length(content.metadata()) + length(content.attributes());
  }

  static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }
}
