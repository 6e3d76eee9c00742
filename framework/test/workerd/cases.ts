/** A test that runs wherever its context can be made: in Node and inside workerd. It fails by throwing. */
export interface Case<Context> {
  readonly name: string;
  run(context: Context): Promise<void>;
}

/** How a case went, as it comes back from workerd. */
export type CaseReport = { ok: true } | { ok: false; message: string; stack: string };

/** Runs the case that a request asks for, and answers how it went. */
export async function answerCase<Context>(
  request: Request,
  cases: readonly Case<Context>[],
  context: () => Promise<Context>,
): Promise<Response> {
  const name = new URL(request.url).searchParams.get("name");
  return Response.json(await runCase(name, cases, context));
}

async function runCase<Context>(
  name: string | null,
  cases: readonly Case<Context>[],
  context: () => Promise<Context>,
): Promise<CaseReport> {
  try {
    const found = cases.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`There is no case '${name}'.`);
    await found.run(await context());
    return { ok: true };
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { ok: false, message, stack: stack ?? message };
  }
}
