import { mkdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * Takes a folder of state for this process. Two runtimes over one object's database would each believe to be
 * its only writer. The lock is the system's (through SQLite), so it goes with the process however that ends.
 *
 * @throws Error When another process has it.
 */
export function lockState(folder: string): Disposable {
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(path.join(folder, "computer.lock"));
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!/locked|busy/i.test(String(error))) throw error;
    throw new Error(
      `The state in ${folder} is in use by another \`computer dev\`. End that one, or keep this one's state ` +
        "elsewhere: `computer dev --persist DIR`.",
    );
  }
  return { [Symbol.dispose]: () => database.close() };
}
