import type { HttpHost, RestAudit } from '@chandlery/http';
import type { AuditStore } from '../actions/audit-store.ts';
import { productNames } from '../model/product-names.ts';
import type { AskTerms, TenantOrganisations } from '../ports.ts';
import type { ProductRow } from '../registry/fleet-registry.ts';
import { adminHandlers } from './handlers/admin/admin-handlers.ts';
import { listAudit } from './handlers/admin/list-audit.ts';
import { agentHandlers } from './handlers/agent/agent-handlers.ts';
import { ClusterRevisions } from './handlers/agent/cluster-revisions.ts';
import { ManagedItems } from './handlers/agent/managed-items.ts';
import { WaitingPolls } from './handlers/agent/waiting-polls.ts';
import type { ProductCall } from './handlers/call.ts';
import type { HandlerDeps } from './handlers/facade-deps.ts';
import { instanceHandlers } from './handlers/instances/instance-handlers.ts';
import { landscapeHandlers } from './handlers/landscape/landscape-handlers.ts';
import { operationHandlers } from './handlers/landscape/operation-handlers.ts';
import { NameOrder } from './handlers/lists/name-order.ts';
import { metricsHandlers } from './handlers/metrics-handlers.ts';
import { providerHandlers } from './handlers/provider-handlers.ts';
import { quotaHandlers } from './handlers/quota-handlers.ts';
import { Admission } from './middleware/admission.ts';
import { AuditTrail } from './middleware/audit-trail.ts';
import type { VerifyBearer } from './middleware/bearer.ts';
import { TermsCheck } from './middleware/terms.ts';
import { OpenApiCache } from './openapi/openapi-cache.ts';
import { type FindOperator, FleetServer } from './routes/fleet-server.ts';
import { type ProductHandlers, productRoutes } from './routes/product-routes.ts';
import type { LandscapeRoute } from './routes/route.ts';

/** What the REST APIs of the fleet are built from. */
export interface FleetFacadeDeps extends HandlerDeps {
  readonly host: HttpHost;
  readonly verifyBearer: VerifyBearer;
  readonly findOperator: FindOperator;
  readonly askTerms: AskTerms;
  readonly tenants: Pick<TenantOrganisations, 'organisationOf'>;
  readonly auditStore: AuditStore;
  readonly newOperationId: () => string;
  /** Called for every request that may have changed something, except for reports of agents. Default: nothing is recorded. */
  readonly recordAudit?: (entry: RestAudit) => void;
}

/** The REST APIs while they are served. */
export interface FleetFacade extends AsyncDisposable {
  /** Ends polls that wait, so that the host can close. Later ones do not wait. */
  readonly endPolls: () => void;
}

/** Serves the REST APIs of all products, present and future ones. The tables must be filled. */
export async function createFleetFacade(deps: FleetFacadeDeps): Promise<FleetFacade> {
  const { tables, actions, clock, logger, landscapeTokens, tenants } = deps;
  const stopping = new AbortController();
  const revisions = new ClusterRevisions(tables);
  const nameOrder = await NameOrder.open(tables);
  const audit = new AuditTrail({ store: deps.auditStore, logger });
  const ownRoutes = landscapeRoutes({ ...landscapeHandlers(deps), ...operationHandlers(deps) });
  const documentOf = (row: ProductRow): string => documents.ofProduct(row);
  const routes = productRoutes(createHandlers(deps, { revisions, nameOrder, audit, documentOf }));
  const landscape = { names: productNames({ id: 'fleet', kind: 'Fleet' }), routes: ownRoutes };
  const documents = new OpenApiCache({ productRoutes: routes, landscape });
  const terms = new TermsCheck({ ask: deps.askTerms, clock });
  const admission = new Admission({ tables, actions, terms, tenants, ownIssuer: landscapeTokens.issuer, logger });
  new FleetServer({
    ...deps,
    productRoutes: routes,
    landscapeRoutes: ownRoutes,
    admission,
    audit,
    stopping: stopping.signal,
  });
  serveOverallDocument(deps, documents);
  return {
    endPolls: () => stopping.abort(),
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      revisions[Symbol.dispose]();
      nameOrder[Symbol.dispose]();
      await audit.flushed();
    },
  };
}

interface SharedParts {
  readonly revisions: ClusterRevisions;
  readonly nameOrder: NameOrder;
  readonly audit: AuditTrail;
  readonly documentOf: (row: ProductRow) => string;
}

function createHandlers(deps: FleetFacadeDeps, shared: SharedParts): ProductHandlers {
  const { revisions, nameOrder, audit, documentOf } = shared;
  const { tables, logger } = deps;
  const polls = new WaitingPolls(revisions);
  const items = new ManagedItems({ readSecret: (namespace, name) => tables.readSecret(namespace, name), logger });
  return {
    instances: instanceHandlers(deps),
    metrics: metricsHandlers(deps),
    providers: providerHandlers(deps),
    quota: quotaHandlers(deps),
    admin: adminHandlers({ ...deps, nameOrder }),
    agents: agentHandlers({ ...deps, revisions, polls, items }),
    listAudit: async call => {
      await audit.flushed();
      return listAudit(call, tables);
    },
    openApi: async ({ product }: ProductCall) => ({ status: 200, body: documentOf(product.row) }),
  };
}

/** Serves the document of all products and of the landscape's own routes to any client. */
function serveOverallDocument({ host, products }: FleetFacadeDeps, documents: OpenApiCache): void {
  host.app.get('/openapi/fleet.json', (_request, reply) => {
    const rows = [...products.all()].map(({ row }) => row);
    return reply.type('application/json').send(documents.ofAll(rows));
  });
}

type LandscapeHandlers = ReturnType<typeof landscapeHandlers> & ReturnType<typeof operationHandlers>;

/** The table of routes for operators of the landscape. */
const landscapeRoutes = (handlers: LandscapeHandlers): readonly LandscapeRoute[] => [
  { method: 'GET', path: '/v1/products', family: 'operator', handle: handlers.listProducts },
  { method: 'GET', path: '/v1/configuration', family: 'operator', handle: handlers.getConfiguration },
  { method: 'PUT', path: '/v1/configuration', family: 'operator', handle: handlers.putConfiguration },
  { method: 'POST', path: '/v1/tokens', family: 'operator', handle: handlers.issueToken },
  { method: 'GET', path: '/v1/instances/{id}/placement', family: 'operator', handle: handlers.explainPlacement },
  { method: 'GET', path: '/v1/quota', family: 'operator', handle: handlers.listQuota },
  { method: 'GET', path: '/v1/capacity', family: 'operator', handle: handlers.listCapacity },
  { method: 'PUT', path: '/v1/clusters/{id}/drain', family: 'operator', handle: handlers.drainCluster },
];
