import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { RawHandler, RawRoute, RawRouteOptions } from './raw-routes.ts';

/** Host names that are served apart from all routes. */
export interface VirtualHost extends RawRouteOptions {
  /** Whether requests to a host name, in lower case and without port, are for the handler. Asked for each request. */
  readonly claims: (hostName: string) => boolean;
  readonly handler: RawHandler;
  /** Names the class of all its requests in metrics. */
  readonly routeClass: string;
}

/** All virtual hosts of a listener. */
export class VirtualHosts {
  readonly #hosts: { readonly claims: VirtualHost['claims']; readonly route: RawRoute }[] = [];

  add({ claims, ...route }: VirtualHost): void {
    this.#hosts.push({ claims, route: { ...route, prefix: route.routeClass } });
  }

  /**
   * Returns the route of a request to a virtual host; undefined for requests to the listener itself. A connection whose TLS
   * handshake named a virtual host is for that host alone: its requests to others are rejected.
   */
  find(request: IncomingMessage): RawRoute | undefined {
    if (this.#hosts.length === 0) return undefined;
    const name = hostNameOf(request);
    const serverName = serverNameOf(request);
    if (serverName !== undefined && serverName !== name && this.#find(serverName) !== undefined) return misdirected;
    return this.#find(name);
  }

  #find(name: string): RawRoute | undefined {
    return this.#hosts.find(({ claims }) => claims(name))?.route;
  }
}

/** Responds with 421 (RFC 9110, 15.5.20): clients try again on a connection of its own. */
const misdirected: RawRoute = {
  prefix: 'misdirected',
  handler: (_request, response, common) => {
    response.writeHead(421, { ...common, 'content-type': 'text/plain; charset=utf-8' });
    response.end('The connection was made for another host name.\n');
  },
};

/** Returns the name that the client gave in its TLS handshake. */
function serverNameOf({ socket }: IncomingMessage): string | undefined {
  const { servername } = socket as Partial<Pick<TLSSocket, 'servername'>>;
  return typeof servername === 'string' ? servername.toLowerCase() : undefined;
}

/**
 * Returns the host name that a request is for: that of its first line where it has one (RFC 9112, 3.2.2), else that of the
 * header `Host`. In lower case, without port and final dot; empty when there is none.
 */
export function hostNameOf({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string {
  const [, authority = headers.host ?? ''] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  return authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d*$/, '')
    .replace(/\.$/, '')
    .toLowerCase();
}
