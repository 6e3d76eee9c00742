import { fileURLToPath } from "node:url";
import { describe } from "vitest";
import { backendContract } from "../../../framework/test/contracts/backend.ts";
import { testInWorkerd } from "../../../framework/test/workerd/harness.ts";
import { shellCases } from "../../test/shell-cases.ts";
import { bundleGuest } from "./bundle.ts";

const guest = await bundleGuest();

describe("IsolateShell in workerd", () => {
  testInWorkerd(
    {
      entry: fileURLToPath(new URL("../../test/shell-worker.ts", import.meta.url)),
      objects: ["CaseObject"],
      loader: "LOADER",
      bindings: { GUEST: guest },
    },
    [...backendContract, ...shellCases].map(({ name }) => name),
  );
});
