/**
 * Something that the person at the keyboard can mend. Shown as its two sentences, without a stack.
 *
 * @example
 * throw new Failure("my-agent exists and is not empty.", "Choose another name, or empty it first.");
 */
export class Failure extends Error {
  override readonly name = "Failure";
  /** What to do about it. */
  readonly mend: string;
  /** The exit code: 1 for what went wrong, 2 for a command line that makes no sense, 130 when interrupted. */
  readonly exitCode: number;

  constructor(message: string, mend: string, exitCode = 1, options?: ErrorOptions) {
    super(message, options);
    this.mend = mend;
    this.exitCode = exitCode;
  }
}
