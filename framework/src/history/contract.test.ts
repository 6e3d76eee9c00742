import { describe, test } from "vitest";
import { historyCases } from "../../test/contracts/history.ts";
import { nodeStorage } from "../../test/history/node-storage.ts";
import { lab } from "../../test/history/tools.ts";

describe("history in Node", () => {
  test.for(historyCases)("$name", async ({ run }) => {
    const storage = nodeStorage();
    try {
      await run({
        open: (options) => lab(storage, options),
        rowsWritten: () => storage.sql.exec("SELECT total_changes() AS n").toArray()[0]?.n as number,
      });
    } finally {
      storage.close();
    }
  });
});
