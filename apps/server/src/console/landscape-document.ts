import type { HttpHost } from '@chandlery/http';
import { buildVersion, type ServerConfig } from '@chandlery/platform';

type DocumentConfig = Pick<ServerConfig, 'oidc' | 'publicUrl'>;

/** Where the APIs of the landscape are and how one signs in: what `GET /` returns to programs. Without secrets. */
export const landscapeDocument = ({ oidc, publicUrl }: DocumentConfig): object => ({
  name: 'chandlery',
  version: buildVersion,
  ...(publicUrl === undefined ? {} : { url: publicUrl }),
  console: '/console/',
  apis: {
    kubernetes: '/clusters/{cluster}',
    serviceManager: '/v1',
    openServiceBroker: '/v1/osb/{broker}',
    fleet: '/api/{product}_mgmt/v1',
    orders: '/1',
    mesh: '/mesh/v1',
  },
  /** OpenAPI; that of a cluster is an index of others. */
  documents: {
    serviceManager: '/openapi/service-manager.json',
    fleet: '/openapi/fleet.json',
    orders: '/openapi/orders.json',
    mesh: '/openapi/mesh.json',
    kubernetes: '/clusters/{cluster}/openapi/v3',
  },
  health: ['/livez', '/readyz'],
  signIn: {
    codes: '/sign-in/codes',
    sessions: '/sign-in/sessions',
    // The client of an ID token is its audience.
    oidc: oidc.map(({ issuer, audiences }) => ({ issuer, clientId: audiences[0] })),
  },
});

/** Leads browsers to the console, and others to the APIs. */
export function addLandscapeRoute({ app }: Pick<HttpHost, 'app'>, config: DocumentConfig): void {
  const document = landscapeDocument(config);
  app.get('/', (request, reply) => {
    reply.header('vary', 'accept');
    return request.headers.accept?.includes('text/html') ? reply.redirect('/console/') : reply.send(document);
  });
}
