import assert from "node:assert/strict";
import { decodeName, encodeName } from "../../../src/vfs/names.ts";
import { fails, sound } from "./context.ts";

/** Names as bytes. */
export const nameCases = [
  sound(
    "bytes that are not UTF-8, NFC, NFD and lone surrogates are names of their own, and come back",
    async ({ fs, sql }) => {
      const names = [
        decodeName(new Uint8Array([0xff])),
        decodeName(new Uint8Array([0x61, 0xff, 0x62])),
        decodeName(new Uint8Array([0xc3])),
        "caf\u00e9",
        "cafe\u0301",
        decodeName(new Uint8Array([0x63, 0x61, 0x66, 0xe9])),
        "\ud800",
        "\udc00",
        "a\udbff",
        "\udfffb",
        "\ufffd",
        "\ud83d\ude00",
        "\ude00\ud83d",
        "\udcff\udcfe",
        "\u0001\u007f\n\t\\*?[",
        "-rf",
        "...",
        " ",
      ];
      assert.equal(new Set(names).size, names.length);
      for (const name of names) await fs.writeFile(`/${name}`, `content of ${encodeName(name)}`);
      assert.deepEqual(new Set(await fs.readdir("/")), new Set(names));
      for (const name of names) {
        assert.equal(await fs.readFile(`/${name}`, "utf8"), `content of ${encodeName(name)}`);
        assert.equal(await fs.realpath(`/./${name}`), `/${name}`);
      }
      const stored = sql
        .exec<{ name: Uint8Array }>("SELECT name FROM vfs_dirent")
        .map(({ name }) => String(name));
      assert.deepEqual(new Set(stored), new Set(names.map((name) => String(encodeName(name)))));
      assert.ok(stored.includes("255"));
    },
  ),

  sound("such names work in every place of a path, and as targets of links", async ({ fs }) => {
    const name = decodeName(new Uint8Array([0x64, 0xfe, 0xed, 0xa0, 0x80]));
    await fs.mkdir(`/${name}/${name}`, { recursive: true });
    await fs.writeFile(`/${name}/${name}/f`, "deep");
    await fs.symlink(`${name}/${name}`, "/l");
    assert.equal(await fs.readlink("/l"), `${name}/${name}`);
    assert.equal(await fs.readFile("/l/f", "utf8"), "deep");
    await fs.rename(`/${name}/${name}`, `/${name}/\udcff`);
    assert.deepEqual(await fs.readdir(`/${name}`), ["\udcff"]);
    await fs.rm(`/${name}`, { recursive: true });
    assert.deepEqual(await fs.readdir("/"), ["l"]);
  }),

  sound("a string that would be taken for another name is refused", async ({ fs }) => {
    // The bytes of "\ud800", written byte by byte; and the bytes of "\u00e9".
    for (const name of ["\udced\udca0\udc80", "\udcc3\udca9"]) {
      await fails("EILSEQ", fs.writeFile(`/${name}`, ""));
      await fails("EILSEQ", fs.stat(`/${name}`));
      await fails("EILSEQ", fs.symlink(name, "/l"));
      assert.equal(await fs.exists(`/${name}`), false);
    }
    assert.deepEqual(await fs.readdir("/"), []);
  }),
];
