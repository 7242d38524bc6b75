import type { Dispatcher } from 'undici';

export interface WatchLine {
  readonly type: string;
  readonly object: { readonly kind: string; readonly metadata: { readonly name?: string; readonly uid?: string } };
}

/** The events of a watch, one by one; leaving the loop closes it. */
export async function* watchLines({ body }: Dispatcher.ResponseData): AsyncGenerator<WatchLine> {
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as WatchLine;
  }
}
