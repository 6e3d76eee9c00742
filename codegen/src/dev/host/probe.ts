import http from "node:http";
import { BUILD_PATH, KEY_HEADER } from "../messages.ts";

/** Asks the development entry of the worker which build it is; undefined when it does not answer in time. */
export function probeBuild(port: number, key: string, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const request = http.get({
      host: "127.0.0.1",
      port,
      path: BUILD_PATH,
      headers: { [KEY_HEADER]: key },
      agent: false,
    });
    const timer = setTimeout(() => done(undefined), timeoutMs);
    const done = (build: string | undefined) => {
      clearTimeout(timer);
      request.destroy();
      resolve(build);
    };
    request.on("error", () => done(undefined));
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("error", () => done(undefined));
      response.on("end", () => done(response.statusCode === 200 ? text : undefined));
    });
  });
}
