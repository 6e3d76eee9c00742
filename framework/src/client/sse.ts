/** A server-sent event. */
export interface ServerSentEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** Reads server-sent events off a body, as they come. */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array>,
): AsyncIterable<ServerSentEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let buffered = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      buffered += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const blocks = buffered.split("\n\n");
      buffered = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parseBlock(block);
        if (event !== undefined) yield event;
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parseBlock(block: string): ServerSentEvent | undefined {
  const fields = { event: "message", id: "", data: undefined as string | undefined };
  for (const line of block.split("\n")) {
    const [, name, value = ""] = /^(\w+):? ?(.*)$/s.exec(line) ?? [];
    if (name === "data") fields.data = fields.data === undefined ? value : `${fields.data}\n${value}`;
    else if (name === "event" || name === "id") fields[name] = value;
  }
  return fields.data === undefined ? undefined : { ...fields, data: fields.data };
}
