/** Lets others have their turn between two steps of long work. */
export function pause(): Promise<void> {
  return new Promise((resume) => setImmediate(resume));
}
