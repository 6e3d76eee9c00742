import { bytesFromLatin1, latin1FromBytes } from "./bytes.ts";

/** What the interpreter tells whoever embeds it, and what that means to whoever wrote the script. */
const PLAINLY: readonly [RegExp, string][] = [
  [
    /: command not available in browser environments\. Exclude '[^'\n]*' from your commands[^\n]*/g,
    ": command not found",
  ],
  [/, increase executionLimits\.\w+/g, ""],
  [/^(bash: )Maximum call stack size exceeded/gm, "$1the script nests too deeply"],
];

/** A sign that one of them is in a text, which is rare. */
const EMBEDDED = /browser environments|executionLimits|call stack/;

/** Text for stderr, without the words that are for whoever embeds the interpreter. */
export function inPlainWords(data: Uint8Array): Uint8Array {
  const text = latin1FromBytes(data);
  if (!EMBEDDED.test(text)) return data;
  return bytesFromLatin1(PLAINLY.reduce((said, [pattern, plain]) => said.replaceAll(pattern, plain), text));
}
