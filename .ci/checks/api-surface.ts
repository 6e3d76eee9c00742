import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Node, Project, ts } from "ts-morph";
import { type Package, publishedPackages } from "../lib/packages.ts";
import type { Findings } from "../lib/steps.ts";

/**
 * Each package's `api-surface.md` is what its declarations say: so that a change of public API shows
 * in the diff of a commit.
 *
 * @param update Rewrite the files instead of reporting that they differ.
 */
export async function checkApiSurface(update: boolean): Promise<Findings> {
  const problems: string[] = [];
  for (const item of publishedPackages()) {
    const surface = describe(item);
    if (surface === undefined) continue;
    const file = join(item.path, "api-surface.md");
    const before = existsSync(file) ? readFileSync(file, "utf8") : "";
    if (before === surface) continue;
    if (update) writeFileSync(file, surface);
    else problems.push(`${item.dir}/api-surface.md differs:\n${firstDifference(before, surface)}`);
  }
  if (problems.length > 0) problems.push("meant? then `npm run check -- --update`, and commit");
  return { problems };
}

/** The text of a package's api-surface.md; `undefined` for a package that nobody imports. */
function describe({ path, manifest }: Package): string | undefined {
  const entries = Object.entries(manifest.exports ?? {}).flatMap(([name, target]) => {
    const types = typeof target === "string" ? undefined : target.types;
    return types === undefined ? [] : [{ name, file: join(path, types) }];
  });
  if (entries.length === 0) return undefined;

  const project = new Project({
    compilerOptions: { module: ts.ModuleKind.NodeNext, skipLibCheck: true, strict: true },
    skipAddingFilesFromTsConfig: true,
  });
  const sections = entries.map(({ name, file }) => {
    const source = project.addSourceFileAtPathIfExists(file);
    if (source === undefined) throw new Error(`${file} does not exist: build first`);
    const declarations = [...source.getExportedDeclarations()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([exported, nodes]) => nodes.map((node) => print(exported, node)));
    return [
      `## ${name.replace(/^\./, manifest.name)}`,
      "",
      "```ts",
      declarations.join("\n\n"),
      "```",
      "",
    ].join("\n");
  });
  return [
    `# API surface of ${manifest.name}`,
    "",
    "Written by `npm run check -- --update` from the declarations. A change here is a change of public API.",
    "",
    ...sections,
  ].join("\n");
}

const printer = ts.createPrinter({ removeComments: true });

/** One exported declaration, without comments and without what is private. */
function print(exported: string, node: Node): string {
  const file = node.getSourceFile();
  if (node.asKind(ts.SyntaxKind.SourceFile)) return `namespace ${exported} // all of another module`;
  if (file.getFilePath().includes("/node_modules/") && !file.getFilePath().includes("/dist/")) {
    return `${exported} // from another package`;
  }
  const statement = node.asKind(ts.SyntaxKind.VariableDeclaration)?.getVariableStatement() ?? node;
  const text = printer
    .printNode(ts.EmitHint.Unspecified, statement.compilerNode, file.compilerNode)
    .split("\n")
    .filter((line) => !/^\s*(#private|private .*);$/.test(line))
    .join("\n")
    .replace(/^(export )?(default )?(declare )?/, "");
  const own = statement.getSymbol()?.getName() ?? node.getSymbol()?.getName();
  return own === undefined || own === exported ? text : `// as ${exported}\n${text}`;
}

function firstDifference(before: string, after: string): string {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const at = now.findIndex((line, index) => line !== old[index]);
  const index = at < 0 ? now.length : at;
  return `  line ${index + 1}\n  - ${old[index] ?? "(end)"}\n  + ${now[index] ?? "(end)"}`;
}
