import { ComputerError } from "../errors.ts";
import type { Manifest } from "./types.ts";

/** What is here: the agents, their tools, and how to reach them. */
export function rootResponse(request: Request, manifest: Manifest): Response {
  if (request.method !== "GET" && request.method !== "HEAD") {
    throw new ComputerError("ERR_METHOD_NOT_ALLOWED", "GET / lists what is here.");
  }
  const accept = request.headers.get("accept") ?? "";
  if (/\btext\/html\b/.test(accept) && !/^application\/json\b/.test(accept)) return page(manifest);
  const doors = {
    rpc: "/agents/:agent/:id/rpc",
    tools: "/agents/:agent/:id/tools/:tool",
    files: "/agents/:agent/:id/files/*",
    exec: "/agents/:agent/:id/exec",
  };
  const body = JSON.stringify({ ...manifest, doors }, null, 2);
  return new Response(`${body}\n`, {
    headers: { "content-type": "application/json", "cache-control": "no-store", vary: "accept" },
  });
}

function page(manifest: Manifest): Response {
  const agents = manifest.agents.map(({ name, description, tools }) => {
    const items = tools.map(
      (tool) =>
        `<li><code>POST /agents/${escapeHtml(name)}/:id/tools/${escapeHtml(tool.name)}</code> ${escapeHtml(tool.description)}</li>`,
    );
    return `<h2>${escapeHtml(name)}</h2><p>${escapeHtml(description)}</p><ul>${items.join("")}</ul>`;
  });
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(manifest.name)}</title>
<style>body{font:16px/1.5 system-ui;max-width:50rem;margin:3rem auto;padding:0 1rem}</style>
<h1>${escapeHtml(manifest.name)}</h1>${agents.join("")}
<p>Ask for <code>accept: application/json</code> to get the tools with their schemas.</p></html>`;
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      "cache-control": "no-store",
      vary: "accept",
    },
  });
}

function escapeHtml(text = ""): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
