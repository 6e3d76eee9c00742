import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const TEMPLATES = fileURLToPath(new URL("../templates/", import.meta.url));

/** Our own version; the packages that belong together are published together, under one version. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }
).version;

/** The parts of a project's package.json that are filled in. */
interface ProjectManifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/**
 * Writes the files of a template into a folder: the project's name put in, our packages at our version.
 *
 * @param folder An existing, empty folder.
 *
 * @example
 * writeTemplate("basic", "/tmp/my-agent", "my-agent");
 */
export function writeTemplate(template: string, folder: string, name: string): void {
  cpSync(join(TEMPLATES, template), folder, { recursive: true });
  // npm leaves .gitignore out of packages, or takes it for its own; so it travels under another name.
  for (const file of readdirSync(folder)) {
    if (file === "_gitignore") renameSync(join(folder, file), join(folder, ".gitignore"));
  }
  const readme = join(folder, "README.md");
  if (existsSync(readme)) writeFileSync(readme, readFileSync(readme, "utf8").replaceAll("{{name}}", name));

  const file = join(folder, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8")) as ProjectManifest;
  manifest.name = name;
  for (const dependencies of [manifest.dependencies, manifest.devDependencies]) {
    for (const key of Object.keys(dependencies ?? {})) {
      if (key.startsWith("@computer/")) (dependencies as Record<string, string>)[key] = `^${VERSION}`;
    }
  }
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
