import { peerUnavailable } from '../../port-errors.ts';
import type { AskTerms } from '../../ports.ts';

const timeoutMs = 5000;
const maxResponseBytes = 64 * 1024;

/** Asks a terms service over HTTP: POST `{account_username, site_code, event_code}` gives `{terms_required}`. */
export const askTermsOverHttp: AskTerms = async ({ url, username, siteCode, eventCode }) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ account_username: username, site_code: siteCode, event_code: eventCode }),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((cause: unknown) => {
    throw peerUnavailable('the terms service does not respond', cause);
  });
  const isRequired = response.ok ? termsRequired(await readText(response)) : undefined;
  if (isRequired === undefined)
    throw peerUnavailable(`the terms service responded ${response.status} without terms_required`);
  return { isRequired };
};

async function readText(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maxResponseBytes) throw peerUnavailable('the terms service sends too much');
  }
  return text;
}

function termsRequired(text: string): boolean | undefined {
  try {
    const { terms_required: isRequired } = JSON.parse(text) as { readonly terms_required?: unknown };
    return typeof isRequired === 'boolean' ? isRequired : undefined;
  } catch {
    return undefined;
  }
}
