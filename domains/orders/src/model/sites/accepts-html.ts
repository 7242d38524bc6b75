import { extname } from 'node:path/posix';

/**
 * Whether a request for a path asks for a page: it names HTML in `Accept`, or takes anything and the path does not look
 * like that of an image, a script or another file that is no page.
 */
export function acceptsHtml(accept: string | undefined, path: string): boolean {
  const ranges = (accept ?? '*/*').split(',').map(readRange);
  const html = ranges.find(({ type }) => type === 'text/html' || type === 'application/xhtml+xml');
  if (html !== undefined) return html.quality > 0;
  const isAnything = ranges.some(({ type, quality }) => (type === '*/*' || type === 'text/*') && quality > 0);
  return isAnything && ['', '.html', '.htm'].includes(extname(path).toLowerCase());
}

function readRange(text: string): { readonly type: string; readonly quality: number } {
  const [type = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase());
  const quality = parameters.find(parameter => parameter.startsWith('q='))?.slice(2);
  return { type, quality: quality === undefined ? 1 : Number(quality) };
}
