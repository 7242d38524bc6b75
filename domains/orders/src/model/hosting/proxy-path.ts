/** A request to the reverse proxy of a service. */
export interface ProxyPath {
  /** As the client gave it, decoded: the URN of the service. */
  readonly service: string;
  /** The path that stands for `/` of the process, without a slash at its end. */
  readonly prefix: string;
  /** Path and query as the process gets them, not decoded. Empty: the client left out the slash behind the prefix. */
  readonly target: string;
}

const pattern = /^(\/1\/services2\/([^/?]+)\/proxy)(\/[^?]*)?(\?.*)?$/;

/** Reads the URL of a request; undefined when it is no path of a reverse proxy. */
export function readProxyPath(url: string): ProxyPath | undefined {
  const [, prefix, service, path = '', query = ''] = pattern.exec(url) ?? [];
  if (prefix === undefined || service === undefined) return undefined;
  return { service: decode(service), prefix, target: path === '' ? '' : path + query };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
