// The thread that converts long YAML. Loads as little as it can: it starts when the first such body comes.
import { parentPort } from 'node:worker_threads';
import { ChandleryError } from '../../../api/src/errors.ts';
import { yamlToJson } from './yaml-to-json.ts';

/** What the thread responds for a text: the JSON, in UTF-8, or why there is none. */
export type YamlResponse =
  | { readonly json: Uint8Array<ArrayBuffer> }
  | { readonly code: string; readonly message: string };

function convert(text: string): YamlResponse {
  try {
    return { json: new TextEncoder().encode(yamlToJson(text)) };
  } catch (error) {
    const code = error instanceof ChandleryError ? error.code : 'BadRequest';
    return { code, message: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (text: string) => {
  const response = convert(text);
  parentPort?.postMessage(response, 'json' in response ? [response.json.buffer] : []);
});
