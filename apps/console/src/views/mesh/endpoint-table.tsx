import type { MeshInfo, ServiceEndpoints, ShownEndpoint } from '@chandlery/mesh/kinds';
import { ApiFailure } from '../../api/api-failure.ts';
import { EmptyState, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { healthMarks, partsOf, readMesh } from './mesh.ts';

/** More endpoints than these are no table that people can read; unhealthy ones come first. */
const maxShown = 200;

const byHealth = Object.keys(healthMarks).toReversed();

/** Reads where a service runs. One that is not declared, and has no endpoints, is not found. */
export async function readEndpoints(
  { mesh }: MeshInfo,
  service: string,
  signal: AbortSignal,
): Promise<ServiceEndpoints | undefined> {
  const { namespace, name } = partsOf(service);
  const path = ['services', namespace, name, 'endpoints'].map(encodeURIComponent).join('/');
  try {
    return await readMesh<ServiceEndpoints>(mesh, path, signal);
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return undefined;
    throw error;
  }
}

/** Where a service runs, on all clusters of the mesh. */
export function EndpointTable({ found }: { readonly found: ServiceEndpoints }) {
  const all = found.endpoints.toSorted((one, other) => byHealth.indexOf(one.health) - byHealth.indexOf(other.health));
  return (
    <section className="mesh-part" aria-label="Endpoints">
      <h2>
        Endpoints <span className="count">{all.length}</span>
      </h2>
      {found.staleProviders.map(({ id, reason }) => (
        <Notice key={id} kind="warning">
          What provider "{plainText(id)}" knows may be old: {plainText(reason)}
        </Notice>
      ))}
      {all.length === 0 ? (
        <EmptyState title="Nothing serves this service">
          <p className="quiet">
            Endpoints come from EndpointSlices of its clusters, virtual machines, clouds, DNS and announcements of
            proxies
          </p>
        </EmptyState>
      ) : (
        <div className="table-frame" role="region" aria-label="Endpoint list" tabIndex={0}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Health</th>
                <th scope="col">Address</th>
                <th scope="col">Port</th>
                <th scope="col">Zone</th>
                <th scope="col">Cluster</th>
                <th scope="col">Provider</th>
                <th scope="col">Runs in</th>
                <th scope="col">Account</th>
              </tr>
            </thead>
            <tbody>
              {all.slice(0, maxShown).map(endpoint => (
                <EndpointRow key={`${endpoint.cluster} ${endpoint.ip} ${endpoint.port}`} endpoint={endpoint} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {all.length > maxShown && <p className="quiet">{all.length - maxShown} more are not shown</p>}
    </section>
  );
}

function EndpointRow({ endpoint }: { readonly endpoint: ShownEndpoint }) {
  const { ip, port, portName, health, cluster, isCloud, region, zone, source, provider, serviceAccount } = endpoint;
  return (
    <tr>
      <td>
        <StateMark {...(healthMarks[health] ?? { state: 'exists', word: health })} />
      </td>
      <td>
        <code>{plainText(ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)}</code>
      </td>
      <td>{plainText(portName) || '–'}</td>
      <td>{plainText([region, zone].filter(Boolean).join(' / ')) || '–'}</td>
      <td>{isCloud ? `${plainText(cluster)} (cloud)` : plainText(cluster)}</td>
      <td>{plainText(provider ?? '') || '–'}</td>
      <td>{plainText(source ?? '') || '–'}</td>
      <td>{plainText(serviceAccount ?? '') || '–'}</td>
    </tr>
  );
}
