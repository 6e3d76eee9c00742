import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { main } from "./cli.ts";

const output = { out: "", err: "" };

beforeEach(() => {
  output.out = "";
  output.err = "";
  vi.spyOn(console, "log").mockImplementation((text) => {
    output.out += text;
  });
  vi.spyOn(console, "error").mockImplementation((text) => {
    output.err += text;
  });
});
afterEach(() => vi.restoreAllMocks());

test("--help and --version exit 0", async () => {
  expect(await main(["--help"])).toBe(0);
  expect(output.out).toContain("--probe");
  output.out = "";
  expect(await main(["--version"])).toBe(0);
  expect(output.out).toMatch(/^\d+\.\d+\.\d+/);
});

test("an unknown option, and nothing at all, exit 2 with the usage", async () => {
  expect(await main(["--serve"])).toBe(2);
  expect(output.err).toContain("--serve");
  expect(await main([])).toBe(2);
  expect(output.out).toBe("");
});

test("--probe says of every driver whether it could work; the exit code says whether one can mount", async () => {
  const code = await main(["--probe"]);
  expect(output.out).toMatch(/^(yes|no ) {2}kernel/m);
  expect(output.out).toMatch(/^yes {2}copy/m);
  output.out = "";
  expect(await main(["--probe", "--json"])).toBe(code);
  const report = JSON.parse(output.out);
  const mounts = report.drivers.some(
    (item: { driver: string; usable: boolean }) => item.usable && item.driver !== "copy",
  );
  expect(code).toBe(mounts ? 0 : 3);
});

test("a driver that does not exist exits 2; a folder without a store too", async () => {
  expect(await main(["--path", "/nowhere", "--store", "/nowhere", "--mount", "magic"])).toBe(2);
  expect(output.err).toContain("auto, kernel, fuse-native, copy");
  expect(await main(["--path", "/nowhere"])).toBe(2);
});
