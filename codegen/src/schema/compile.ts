import { _, type CodeKeywordDefinition } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import { type Schema, WIRE_KEYWORD } from "./schema.ts";

/** Checks dates and bytes with one inline expression each: standalone code has no place for a function of ours. */
const wireKeyword: CodeKeywordDefinition = {
  keyword: WIRE_KEYWORD,
  schemaType: "string",
  error: {
    message: ({ schema }) => (schema === "date" ? "must be a date" : "must be bytes"),
    params: ({ schema }) => _`{kind: ${schema}}`,
  },
  code(context) {
    const { data, schema } = context;
    if (schema === "date") context.fail(_`!(${data} instanceof Date) || Number.isNaN(${data}.getTime())`);
    else context.fail(_`!(${data} instanceof Uint8Array)`);
  },
};

/**
 * Compiles schemas ahead of time into one ES module without imports, `eval` or `new Function`, that exports
 * a validator for each by its name.
 *
 * @example
 * ```ts
 * await compileValidators({ reader_find: parametersSchema(tool.parameters, model.types) });
 * ```
 */
export async function compileValidators(schemas: Readonly<Record<string, Schema>>): Promise<string> {
  const ajv = new Ajv2020({
    code: { source: true, esm: true, lines: true },
    // Only what the caller sent counts, never what an object inherits.
    ownProperties: true,
    discriminator: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    strictTuples: false,
    allErrors: false,
    // The schemas are our own, and checking them costs more than compiling them; a test does it instead.
    validateSchema: false,
    logger: false,
    schemas: Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, { $id: name, ...schema }]),
    ),
    keywords: [wireKeyword],
  });
  const names = Object.fromEntries(Object.keys(schemas).map((name) => [name, name]));
  return inlineHelpers(standalone.default(ajv, names));
}

/** Ajv's own helpers come in by `require`, which a Worker has not. */
async function inlineHelpers(code: string): Promise<string> {
  if (!/\brequire\(/.test(code)) return code;
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname, loader: "js" },
    bundle: true,
    format: "esm",
    target: "es2022",
    legalComments: "none",
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? code;
}
