/** A page without script or style that reloads itself while the console is built, or says why it cannot be. */
export function progressPage(failure: Error | undefined): { readonly status: number; readonly html: string } {
  const { hint = '' } = (failure ?? {}) as { hint?: string };
  const [title, text] =
    failure === undefined
      ? ['Building the console', 'This takes a few seconds, once. The page continues by itself.']
      : ['The console is not available', `${failure.message}\n\n${hint}`];
  const refresh = failure === undefined ? '<meta http-equiv="refresh" content="1">' : '';
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${refresh}
<meta name="color-scheme" content="light dark"><title>${title} – Chandlery</title></head>
<body><main><h1>${title}</h1><pre>${escapeHtml(text)}</pre></main></body></html>
`;
  return { status: 503, html };
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, character => entities[character] ?? character);
