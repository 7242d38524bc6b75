import type { MeshInfo, ProxyList, ProxyType } from '@chandlery/mesh/kinds';
import { Link } from '../../routing/link.tsx';
import { changeQuery, useViewLocation, viewHref } from '../../routing/location.ts';
import { Breakable } from '../../ui/breakable.tsx';
import { EmptyState, FailureNotice, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { Time } from '../../ui/time.tsx';
import { useRefreshed } from '../../ui/use-refreshed.ts';
import { WithPanel } from '../../ui/with-panel.tsx';
import { Fact } from '../fact.tsx';
import { FilterField } from '../kind-list/list-filters.tsx';
import { readMesh, refreshMs } from './mesh.ts';
import { type ProxyRow, proxyRows, syncMarks } from './proxies.ts';

/** More proxies than these are found by searching. */
const maxShown = 200;

/** The connected proxies, with what they have accepted and rejected. */
export function ProxiesTab({ mesh }: { readonly mesh: MeshInfo }) {
  const { query } = useViewLocation();
  const { value, error } = useRefreshed(
    signal => readMesh<ProxyList>(mesh.mesh, 'proxies', signal),
    [mesh.mesh],
    refreshMs,
  );
  if (error !== undefined && value === undefined) return <FailureNotice goal="list the proxies" error={error} />;
  if (value === undefined) return <Loading what="the proxies" />;
  const search = (query.get('q') ?? '').toLowerCase();
  const rows = proxyRows(value.items);
  const found = rows.filter(({ stream: { nodeId, namespace, serviceAccount, cluster } }) =>
    `${nodeId} ${namespace}/${serviceAccount} ${cluster}`.toLowerCase().includes(search),
  );
  const selected = rows.find(({ stream }) => stream.nodeId === query.get('proxy'));
  return (
    <>
      {(value.silentReplicas ?? []).map(replica => (
        <Notice key={replica} kind="warning">
          Replica {plainText(replica)} does not answer: its proxies are not shown.
        </Notice>
      ))}
      {rows.length === 0 ? (
        <EmptyState title="No proxy is connected to this mesh">
          <p className="quiet">
            "chandlery mesh bootstrap envoy" writes what an Envoy needs, "chandlery help mesh bootstrap" says how
          </p>
        </EmptyState>
      ) : (
        <>
          <div className="toolbar">
            <FilterField label="Search" parameter="q" value={query.get('q') ?? ''} placeholder="node or account" />
            <span className="quiet">{rows.length} connected</span>
          </div>
          {found.length === 0 ? (
            <EmptyState title="No proxy matches" />
          ) : (
            <WithPanel
              panel={selected && <ProxyCard row={selected} />}
              shown={selected?.stream.nodeId}
              onClose={() => changeQuery({ proxy: undefined })}
            >
              <ProxyTable rows={found.slice(0, maxShown)} selected={selected} />
            </WithPanel>
          )}
          {found.length > maxShown && <p className="quiet">{found.length - maxShown} more: search for what you need</p>}
        </>
      )}
    </>
  );
}

interface ProxyTableProps {
  readonly rows: readonly ProxyRow[];
  readonly selected: ProxyRow | undefined;
}

function ProxyTable({ rows, selected }: ProxyTableProps) {
  const { query, segments } = useViewLocation();
  const hrefOf = (proxy: string): string => viewHref(segments, { ...Object.fromEntries(query), proxy });
  return (
    <div className="table-frame" role="region" aria-label="Proxies" tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Proxy</th>
            <th scope="col">Account</th>
            <th scope="col">Cluster</th>
            <th scope="col">Dialect</th>
            <th scope="col">Accepted</th>
            <th scope="col" className="less">
              Connected
            </th>
            <th scope="col" className="less">
              Rejected because
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ stream, types, state }) => (
            <tr
              key={`${stream.replica} ${stream.nodeId}`}
              aria-current={stream.nodeId === selected?.stream.nodeId ? 'true' : undefined}
            >
              <td>
                <StateMark {...syncMarks[state]} />
              </td>
              <td>
                <Link className="row-link" href={hrefOf(stream.nodeId)}>
                  {plainText(stream.nodeId)}
                </Link>
              </td>
              <td>{plainText(`${stream.namespace}/${stream.serviceAccount}`)}</td>
              <td>{plainText(stream.cluster)}</td>
              <td>{stream.dialect}</td>
              <td>{acceptedText(types)}</td>
              <td className="less">
                <Time at={stream.connectedAt} />
              </td>
              <td className="less">
                {plainText(types.find(({ error }) => error !== undefined)?.error?.message ?? '') || '–'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function acceptedText(types: readonly ProxyType[]): string {
  const sum = (of: 'acked' | 'sent'): number => types.reduce((total, { counts }) => total + counts[of], 0);
  return `${sum('acked')} of ${sum('sent')} responses`;
}

/** What one proxy was sent, and what it said. */
function ProxyCard({ row: { stream, types } }: { readonly row: ProxyRow }) {
  return (
    <section className="card" aria-label={`Proxy ${stream.nodeId}`}>
      <h2>{plainText(stream.nodeId)}</h2>
      <dl className="facts mesh-facts">
        <Fact name="Identity">
          <code>
            <Breakable text={plainText(stream.identity)} />
          </code>
        </Fact>
        <Fact name="Address">{plainText(stream.peer)}</Fact>
        <Fact name="Connected">
          <Time at={stream.connectedAt} />
        </Fact>
        <Fact name="Replica">{plainText(stream.replica)}</Fact>
      </dl>
      {types.map(type => (
        <TypeFacts key={type.type} type={type} />
      ))}
      {types.map(({ type, error }) =>
        error === undefined ? null : (
          <Notice key={type} kind="error">
            <strong>It rejected its {type} configuration</strong>
            <p>{plainText(error.message)}</p>
            <p className="quiet">
              <Time at={error.at} />
            </p>
          </Notice>
        ),
      )}
    </section>
  );
}

/** What a proxy was sent of one type, and what it has accepted. */
function TypeFacts({
  type: { type, state, subscribed, counts, sentVersion, sentAt, ackedVersion, ackedAt },
}: {
  readonly type: ProxyType;
}) {
  return (
    <>
      <h3>
        {type} <StateMark {...syncMarks[state]} />
      </h3>
      <dl className="facts mesh-facts">
        <Fact name="Resources">{subscribed === '*' ? 'all' : subscribed}</Fact>
        <Fact name="Sent">
          <Version version={sentVersion} at={sentAt} />
        </Fact>
        <Fact name="Accepted">
          <Version version={ackedVersion} at={ackedAt} />
        </Fact>
        {counts.refused > 0 && <Fact name="Rejected">{counts.refused === 1 ? 'once' : `${counts.refused} times`}</Fact>}
      </dl>
    </>
  );
}

/** Versions are hashes: they differ in their beginning. */
const shownDigits = 10;

const Version = ({ version, at }: { readonly version: string | undefined; readonly at: string | undefined }) =>
  version === undefined ? (
    <span className="quiet">–</span>
  ) : (
    <>
      <code title={version}>{plainText(version.slice(0, shownDigits))}</code> <Time at={at} />
    </>
  );
