import { expect, test } from "vitest";
import { FileSystemStub } from "./fs-stub.ts";
import { RunStub, RuntimeStub } from "./runtime-stub.ts";
import { AgentStub } from "./stub.ts";
import { WorkspaceStub } from "./workspace-stub.ts";

/** Every name that a peer could follow from an instance of a class: capnweb refuses those of Object alone. */
function reachable(Class: { prototype: object }): string[] {
  const names = new Set<string>();
  for (let at = Class.prototype; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) if (!(name in Object.prototype)) names.add(name);
  }
  return [...names].sort();
}

test("a peer reaches what is listed here, and what is added must be added here", () => {
  expect(reachable(AgentStub)).toEqual(["call", "workspace"]);
  expect(reachable(WorkspaceStub)).toEqual(["fs", "revision", "runtime", "usage", "watch"]);
  expect(reachable(RuntimeStub)).toEqual(["backends", "exec", "get"]);
  expect(reachable(RunStub)).toEqual(["backend", "bytes", "events", "id", "kill", "result"]);
  expect(reachable(FileSystemStub)).toEqual(
    [
      "appendFile",
      "chmod",
      "copyFile",
      "createReadStream",
      "createWriteStream",
      "exists",
      "find",
      "glob",
      "grep",
      "link",
      "lstat",
      "mkdir",
      "readFile",
      "readdir",
      "readlink",
      "realpath",
      "rename",
      "rm",
      "stat",
      "symlink",
      "truncate",
      "utimes",
      "access",
      "chown",
      "cp",
      "lchown",
      "lutimes",
      "mkdtemp",
      "open",
      "opendir",
      "readMany",
      "rmdir",
      "statfs",
      "unlink",
      "writeMany",
      "writeFile",
    ].sort(),
  );
});

test("an instance has nothing of its own that shows", () => {
  const stub = new AgentStub({ call: async () => 1, workspace: {} as WorkspaceStub });
  expect(Reflect.ownKeys(stub)).toEqual([]);
});
