import type { KubeObject } from '@chandlery/api';
import type { CertificateList, MeshInfo, ShownCertificate, ShownRoot } from '@chandlery/mesh/kinds';
import { ApiFailure } from '../../api/api-failure.ts';
import { collectionPath } from '../../api/kinds.ts';
import { requestJson } from '../../api/request.ts';
import { Link } from '../../routing/link.tsx';
import { kindHref, objectHref } from '../../routing/paths.ts';
import { EmptyState, FailureNotice, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { Time } from '../../ui/time.tsx';
import { useRefreshed } from '../../ui/use-refreshed.ts';
import { useLoaded } from '../../ui/use-request.ts';
import { Fact } from '../fact.tsx';
import { readMesh, refreshMs } from './mesh.ts';

/** What operators know of a root besides. */
interface RootObject extends KubeObject {
  readonly spec: { readonly role: string; readonly replaces?: string };
  readonly status?: {
    readonly fingerprint?: string;
    readonly rotation?: { readonly step: string; readonly waitingFor: readonly string[] };
  };
}

const platform = 'platform';
const rootKind = { group: 'mesh.chandlery.io', version: 'v1alpha1', plural: 'meshrootcertificates' };
const maxShown = 200;

/** Roots of trust, and the certificates with which proxies are connected. */
export function CertificatesTab({ mesh }: { readonly mesh: MeshInfo }) {
  const { value, error } = useRefreshed(
    signal => readMesh<CertificateList>(mesh.mesh, 'certificates', signal),
    [mesh.mesh],
    refreshMs,
  );
  const objects = useRootObjects();
  if (error !== undefined && value === undefined) return <FailureNotice goal="list the certificates" error={error} />;
  if (value === undefined) return <Loading what="the certificates" />;
  const { roots, items } = value;
  const signing = roots.find(({ isSigning }) => isSigning);
  const behind = items.filter(({ root }) => root !== signing?.fingerprint).length;
  return (
    <>
      {roots.length > 1 && (
        <Notice kind="info">
          <strong>A root of trust is being replaced</strong>
          <p>
            {behind === 0
              ? 'All connected proxies have certificates of the new one'
              : `${behind} connected ${behind === 1 ? 'proxy has' : 'proxies have'} a certificate of another root than the one that signs now`}
          </p>
        </Notice>
      )}
      <section className="mesh-part" aria-label="Roots of trust">
        <h2>Roots of trust</h2>
        <div className="cards">
          {roots.map(root => (
            <RootCard
              key={root.fingerprint}
              root={root}
              object={objects?.find(({ status }) => status?.fingerprint === root.fingerprint)}
            />
          ))}
        </div>
        {objects !== undefined && (
          <p>
            <Link href={kindHref(platform, rootKind)}>All MeshRootCertificates</Link>{' '}
            <span className="quiet">· "chandlery mesh rotate-root" replaces the one that signs</span>
          </p>
        )}
      </section>
      <section className="mesh-part" aria-label="Certificates of proxies">
        <h2>
          Certificates of proxies <span className="count">{items.length}</span>
        </h2>
        {items.length === 0 ? (
          <EmptyState title="No proxy is connected to this mesh">
            <p className="quiet">Certificates are shown while their proxies are connected: keys stay with them</p>
          </EmptyState>
        ) : (
          <CertificateTable items={items.slice(0, maxShown)} signing={signing} />
        )}
        {items.length > maxShown && <p className="quiet">{items.length - maxShown} that expire later are not shown</p>}
      </section>
    </>
  );
}

/** The objects behind the roots; undefined for those who may not read them. */
function useRootObjects(): readonly RootObject[] | undefined {
  const { value } = useLoaded(async signal => {
    try {
      // The token of a service account is valid on its own cluster alone.
      const options = { signal, isQuietOn401: true };
      return (await requestJson<{ items: readonly RootObject[] }>(collectionPath(platform, rootKind), options)).items;
    } catch (error) {
      if (error instanceof ApiFailure && [401, 403, 404].includes(error.status)) return undefined;
      throw error;
    }
  }, []);
  return value;
}

const shownDigits = 16;

const shortFingerprint = (fingerprint: string): string => fingerprint.slice(0, shownDigits);

interface RootCardProps {
  readonly root: ShownRoot;
  readonly object: RootObject | undefined;
}

function RootCard({ root: { fingerprint, notAfter, isSigning }, object }: RootCardProps) {
  const { rotation } = object?.status ?? {};
  return (
    <section className="card">
      <h3 className="root-name">
        <StateMark state={isSigning ? 'ready' : 'exists'} word={isSigning ? 'Signs' : 'Trusted only'} />
      </h3>
      <dl className="facts">
        <Fact name="Fingerprint">
          <code title={fingerprint}>{shortFingerprint(fingerprint)}…</code>
        </Fact>
        <Fact name="Expires">
          <Expiry at={notAfter} />
        </Fact>
        {object !== undefined && (
          <Fact name="Object">
            <Link href={objectHref(platform, rootKind, { name: object.metadata.name ?? '' })}>
              {plainText(object.metadata.name ?? '')}
            </Link>{' '}
            <span className="quiet">{object.spec.role}</span>
          </Fact>
        )}
        {object?.spec.replaces !== undefined && <Fact name="Replaces">{plainText(object.spec.replaces)}</Fact>}
        {rotation !== undefined && (
          <>
            <Fact name="Next step">{plainText(rotation.step)}</Fact>
            <Fact name="Waits for">{plainText(rotation.waitingFor.join(', ')) || 'nobody'}</Fact>
          </>
        )}
      </dl>
    </section>
  );
}

const soonMs = 60 * 60_000;

/** When something ends, with how long it still lasts. */
function Expiry({ at }: { readonly at: string | undefined }) {
  const end = at === undefined ? Number.NaN : Date.parse(at);
  if (Number.isNaN(end)) return <span className="quiet">unknown</span>;
  const leftMs = end - Date.now();
  return (
    <span className={leftMs < soonMs ? 'soon' : undefined}>
      {leftMs <= 0 && '✗ expired '}
      <Time at={at} />
    </span>
  );
}

interface CertificateTableProps {
  readonly items: readonly ShownCertificate[];
  readonly signing: ShownRoot | undefined;
}

const CertificateTable = ({ items, signing }: CertificateTableProps) => (
  <div className="table-frame" role="region" aria-label="Certificate list" tabIndex={0}>
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Proxy</th>
          <th scope="col">Identity</th>
          <th scope="col">Expires</th>
          <th scope="col">Root</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ identity, nodeId, replica, root, notAfter }) => (
          <tr key={`${replica} ${nodeId} ${identity}`}>
            <td>{plainText(nodeId)}</td>
            <td className="identity">
              <code>{plainText(identity)}</code>
            </td>
            <td>
              <Expiry at={notAfter} />
            </td>
            <td>
              <code title={root}>{shortFingerprint(root)}…</code>{' '}
              <span className="quiet">{root === signing?.fingerprint ? 'signs' : 'being replaced'}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
