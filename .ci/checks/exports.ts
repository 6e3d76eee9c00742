import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { type Manifest, type Package, publishedPackages } from "../lib/packages.ts";
import { capture, type Findings } from "../lib/steps.ts";

interface Packed {
  name: string;
  files: { path: string; mode: number }[];
}

/** What a package promises (exports, imports, bin) exists and is packed; what is packed belongs there. */
export async function checkExports(): Promise<Findings> {
  const packages = publishedPackages();
  const flags = packages.flatMap(({ dir }) => ["--workspace", dir]);
  const { code, output, stdout } = await capture("npm", ["pack", "--dry-run", "--json", ...flags]);
  if (code !== 0) return { problems: [`npm pack --dry-run failed:\n${output}`] };
  const packed = Object.values(JSON.parse(stdout) as Packed[]);

  const problems: string[] = [];
  for (const item of packages) {
    const files = packed.find(({ name }) => name === item.manifest.name)?.files ?? [];
    const found = [...targetProblems(item, files), ...contentProblems(files), ...(await lint(item, files))];
    problems.push(...found.map((text) => `${item.dir}: ${text}`));
  }
  return { problems };
}

/** Every file that package.json names as a way in. */
function targets({ exports = {}, imports = {}, bin = {} }: Manifest): string[] {
  const own = (value: unknown): string[] => {
    if (typeof value === "string") return value.startsWith("./") ? [value] : [];
    return typeof value === "object" && value !== null ? Object.values(value).flatMap(own) : [];
  };
  return [...new Set([exports, imports, bin].flatMap(own))];
}

function targetProblems({ path, manifest }: Package, files: Packed["files"]): string[] {
  const names = new Set(files.map((file) => file.path));
  const problems: string[] = [];
  for (const target of targets(manifest)) {
    if (!existsSync(join(path, target))) problems.push(`package.json names ${target}, which does not exist`);
    else if (!names.has(posix.normalize(target))) problems.push(`${target} is not in the packed files`);
  }
  for (const file of Object.values(manifest.bin ?? {})) {
    const mode = files.find((packed) => packed.path === posix.normalize(file))?.mode ?? 0o755;
    if ((mode & 0o111) !== 0o111) problems.push(`${file} is not executable`);
  }
  return problems;
}

function contentProblems(files: Packed["files"]): string[] {
  const names = files.map((file) => file.path);
  const stray = names.filter(
    (name) =>
      (/\.test\.(ts|js|d\.ts)$|\.tsbuildinfo$|\.log$|\.tgz$|(^|\/)(node_modules|generated|\.computer)\//.test(
        name,
      ) &&
        !name.startsWith("templates/")) ||
      /(^|\/)\.(env|dev\.vars|npmrc)$/.test(name),
  );
  const problems = stray.map((name) => `${name} must not be packed`);
  for (const wanted of ["package.json", "README.md"]) {
    if (!names.includes(wanted)) problems.push(`${wanted} is missing`);
  }
  return problems;
}

async function lint({ path, manifest }: Package, packed: Packed["files"]): Promise<string[]> {
  const files = packed.map(({ path: name }) => ({
    name: `package/${name}`,
    data: readFileSync(join(path, name)),
  }));
  const { messages } = await publint({ pkgDir: "package", pack: { files }, level: "warning" });
  // That every target exists is checked above, for all conditions and for imports too.
  const other = messages.filter(({ code }) => code !== "FILE_DOES_NOT_EXIST");
  return other.map((message) => `publint: ${formatMessage(message, manifest, { color: false })}`);
}
