import type { Environment } from '@marcbachmann/cel-js';
import { registerIn } from './register.ts';

const shape = /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/(?:[^/?@]*@)?([^/?]*))?([^?]*)(?:\?(.*))?$/s;

/** An absolute URL or path, in the parts that rules ask for. */
export class UrlValue {
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(text: string) {
    const [, scheme = '', host = '', path = '', query = ''] = shape.exec(text) ?? [];
    this.text = text;
    this.scheme = scheme;
    this.host = host;
    this.path = path;
    this.query = query;
  }

  get port(): string {
    return /:(\d+)$/.exec(this.host)?.[1] ?? '';
  }

  get hostname(): string {
    return this.host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');
  }
}

const isUrl = (text: string): boolean =>
  !/[\s\u0000-\u001f\u007f]/.test(text) && (text.startsWith('/') || (text.includes('://') && URL.canParse(text)));

function parseUrl(text: string): UrlValue {
  if (!isUrl(text))
    throw new Error(
      `URL parse error during conversion from string: ${JSON.stringify(text.slice(0, 200))}: invalid URI for request`,
    );
  return new UrlValue(text);
}

function queryOf({ query }: UrlValue): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    const list = values.get(name);
    if (list === undefined) values.set(name, [value]);
    else list.push(value);
  }
  return values;
}

/** `url()`, `isURL()` and what can be asked of the result. */
export function registerUrlFunctions(environment: Environment): void {
  const register = registerIn(environment);
  environment.registerType('URL', UrlValue);
  register('url(string): URL', parseUrl);
  register('isURL(string): bool', isUrl);
  register('URL.getScheme(): string', (url: UrlValue) => url.scheme);
  register('URL.getHost(): string', (url: UrlValue) => url.host);
  register('URL.getHostname(): string', (url: UrlValue) => url.hostname);
  register('URL.getPort(): string', (url: UrlValue) => url.port);
  register('URL.getEscapedPath(): string', (url: UrlValue) => url.path);
  register('URL.getQuery(): map<string, list<string>>', queryOf);
}
