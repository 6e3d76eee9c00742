import { Workspace } from "@computer/framework";
import { describe, test } from "vitest";
import { backendContract } from "../../../framework/test/contracts/backend.ts";
import { shellCases } from "../../test/shell-cases.ts";
import { LocalShell } from "./local.ts";

describe("LocalShell keeps the contract of backends", () => {
  for (const { name, run } of backendContract) {
    test(name, async () => {
      await using workspace = await Workspace.memory({ backends: { shell: new LocalShell() } });
      await run({ workspace, backend: "shell" });
    });
  }
});

describe("LocalShell", () => {
  for (const { name, run } of shellCases) {
    test(name, async () => {
      await using workspace = await Workspace.memory({ backends: { shell: new LocalShell() } });
      await run({ workspace, backend: "shell" });
    });
  }
});
