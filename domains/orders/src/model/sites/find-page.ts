import { acceptsHtml } from './accepts-html.ts';

const indexFile = 'index.html';

/** What is known of the files of a site. */
export interface SiteFiles<File> {
  readonly files: ReadonlyMap<string, File>;
  /** All folders, without the root. */
  readonly folders: ReadonlySet<string>;
}

/** A request to a site. */
export interface PageRequest {
  /** The path as it was sent, with its query. */
  readonly url: string;
  /** The header `Accept`. */
  readonly accept: string | undefined;
  /** The path of the file for requests that find nothing. */
  readonly fallback: string | undefined;
}

/** What is sent: a file, a redirect, or that there is none. */
export type Page<File> =
  | { readonly type: 'file'; readonly path: string; readonly file: File; readonly isFallback: boolean }
  | { readonly type: 'redirect'; readonly location: string }
  | { readonly type: 'missing' }
  | { readonly type: 'malformed' };

/** Chooses the file for a request. Paths are looked up among those of the archive and nowhere else. */
export function findPage<File>({ files, folders }: SiteFiles<File>, request: PageRequest): Page<File> {
  const [pathname = '', ...query] = request.url.split('?');
  const decoded = decodePath(pathname);
  if (decoded === undefined) return { type: 'malformed' };
  const path = decoded === '' || decoded.endsWith('/') ? decoded + indexFile : decoded;
  const file = files.get(path);
  if (file !== undefined) return { type: 'file', path, file, isFallback: false };
  if (folders.has(path)) return { type: 'redirect', location: folderLocation(path, query) };
  return findFallback(files, request, path);
}

function findFallback<File>(
  files: ReadonlyMap<string, File>,
  { fallback, accept }: PageRequest,
  wantedPath: string,
): Page<File> {
  const file = fallback === undefined ? undefined : files.get(fallback);
  if (fallback === undefined || file === undefined || !acceptsHtml(accept, wantedPath)) return { type: 'missing' };
  return { type: 'file', path: fallback, file, isFallback: true };
}

/** Returns the path without its first slash. Undefined for one that cannot be decoded. */
function decodePath(pathname: string): string | undefined {
  if (!pathname.startsWith('/')) return undefined;
  try {
    return decodeURIComponent(pathname.slice(1));
  } catch {
    return undefined;
  }
}

/** Made of the folder's own path, so that no request can make it lead to another host. */
const folderLocation = (folder: string, query: readonly string[]): string =>
  `/${folder.split('/').map(encodeURIComponent).join('/')}/${query.length === 0 ? '' : `?${query.join('?')}`}`;
