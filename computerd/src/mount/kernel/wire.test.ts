import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requires } from "../../../../.ci/lib/requires.ts";
import { type Fields, isStruct, type Struct, struct } from "./struct.ts";
import * as wire from "./wire.ts";

const HEADER = "/usr/include/linux/fuse.h";
const structs = (Object.values(wire) as unknown[]).filter(
  (item): item is Struct<Fields> =>
    typeof item === "object" && item !== null && isStruct(item as never) && "at" in item,
);

test("fields lie where C puts them", () => {
  const odd = struct("odd", { a: "u16", b: "u64", c: "u32", d: ["u16", 3] });
  expect(odd.at).toEqual({ a: 0, b: 8, c: 16, d: 20 });
  expect(odd.size).toBe(32);
  expect(struct("outer", { x: "u32", inner: odd }).at.inner).toBe(8);
});

test("every structure and offset is what the kernel's header says", (context) => {
  requires(context, "linux/fuse.h (package linux-libc-dev)", existsSync(HEADER));
  requires(context, "a C compiler", spawnSync("cc", ["--version"]).status === 0);
  expect(structs.length).toBeGreaterThan(30);
  const folder = mkdtempSync(join(tmpdir(), "computerd-wire-"));
  try {
    const lines = structs.flatMap(({ name, fields }) => [
      `printf("${name} %zu\\n", sizeof(struct ${name}));`,
      ...Object.keys(fields).map(
        (key) => `printf("${name}.${key} %zu\\n", offsetof(struct ${name}, ${key}));`,
      ),
    ]);
    const source = `#include <stddef.h>\n#include <stdio.h>\n#include <linux/fuse.h>\nint main(void) {\n${lines.join("\n")}\n}\n`;
    writeFileSync(join(folder, "sizes.c"), source);
    const compiled = spawnSync("cc", ["-o", join(folder, "sizes"), join(folder, "sizes.c")], {
      encoding: "utf8",
    });
    expect(compiled.stderr).toBe("");
    const said = spawnSync(join(folder, "sizes"), { encoding: "utf8" }).stdout.trim().split("\n");
    const ours = structs.flatMap(({ name, size, at }) => [
      `${name} ${size}`,
      ...Object.entries(at).map(([key, offset]) => `${name}.${key} ${offset}`),
    ]);
    expect(ours).toEqual(said);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("operations and flags have the header's numbers", (context) => {
  requires(context, "linux/fuse.h (package linux-libc-dev)", existsSync(HEADER));
  const text = readFileSync(HEADER, "utf8");
  const values = new Map<string, number>();
  for (const [, name, value] of text.matchAll(/^\s*(FUSE_\w+)\s*=\s*(\d+),/gm))
    values.set(name as string, Number(value));
  for (const [, name, shift] of text.matchAll(/^#define (F\w+)\s+\(1 << (\d+)\)/gm))
    values.set(name as string, 1 << Number(shift));
  const check = (prefix: string, table: Record<string, number>) => {
    for (const [key, value] of Object.entries(table))
      expect([prefix + key, values.get(prefix + key)]).toEqual([prefix + key, value]);
  };
  check("FUSE_", wire.OP);
  check("FUSE_NOTIFY_", wire.NOTIFY);
  check("FUSE_", wire.INIT);
  check("FATTR_", wire.FATTR);
  check("FOPEN_", wire.FOPEN);
  check("FUSE_WRITE_", wire.WRITE);
});
