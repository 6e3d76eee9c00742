import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "vitest";
import type { TreeContext } from "../../test/contracts/file-system/context.ts";
import { fileSystemCases } from "../../test/contracts/file-system.ts";
import { ComputerError } from "../errors.ts";
import { TreeFileSystem } from "./file-system.ts";
import { settle } from "./settle.ts";
import { openNodeSql } from "./sql/node.ts";
import { measure } from "./stat-fs.ts";
import { Tree } from "./tree.ts";
import type { Limits } from "./usage.ts";

describe.each(["memory", "file"])("the tree in %s", (home) => {
  test.for(fileSystemCases)("$name", { timeout: 60_000 }, async ({ run }) => {
    const folder = await mkdtemp(join(tmpdir(), "tree-"));
    let opened = open(home === "file" ? join(folder, "tree.db") : undefined);
    const reopen = async () => {
      opened.close();
      opened = open(join(folder, "tree.db"));
      return opened;
    };
    const context: TreeContext = {
      fs: opened.fs,
      sql: opened.sql,
      reopen: home === "file" ? reopen : undefined,
      withQuota: async (quota) => {
        opened.close();
        opened = open(home === "file" ? join(folder, "tree.db") : undefined, quota);
        return opened;
      },
    };
    try {
      await run(context);
    } finally {
      opened.close();
      await rm(folder, { recursive: true });
    }
  });
});

/** As Workspace opens a tree, with a view of its rows. */
function open(file: string | undefined, limits: Limits = {}) {
  const sql = openNodeSql(file);
  if (file !== undefined) sql.prepareFile();
  const tree = new Tree(sql, 2 ** 31 - 1, { limits });
  void settle(tree);
  let closed = false;
  const opened = () => {
    if (closed) throw new ComputerError("ERR_WORKSPACE_CLOSED", "The workspace is closed.");
    return tree;
  };
  const close = () => {
    closed = true;
    tree.close();
    sql.close();
  };
  return { fs: new TreeFileSystem(opened), sql, close, usage: () => measure(opened) };
}
