import { fileSystemCases } from "../contracts/file-system.ts";
import { testInWorkerd } from "./harness.ts";

testInWorkerd(
  { entry: new URL("./file-system-worker.ts", import.meta.url).pathname, objects: ["CaseObject"] },
  fileSystemCases.map(({ name }) => name),
);
