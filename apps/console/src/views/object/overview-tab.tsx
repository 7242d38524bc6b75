import type { KubeObject } from '@chandlery/api';
import { kindOfObject } from '../../api/kinds.ts';
import { Link } from '../../routing/link.tsx';
import { objectHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { Time } from '../../ui/time.tsx';

/** The facts of an object: its metadata, and the values of spec and status. */
export function OverviewTab({ object }: { readonly object: KubeObject }) {
  const { metadata, apiVersion, kind, spec, status, data } = object as KubeObject & Readonly<Record<string, unknown>>;
  return (
    <div className="cards">
      <section className="card">
        <h2>Metadata</h2>
        <dl className="facts">
          <Fact name="Kind">
            {kind} <span className="quiet">{apiVersion}</span>
          </Fact>
          <Fact name="Created">
            <Time at={metadata.creationTimestamp} />
          </Fact>
          {metadata.deletionTimestamp !== undefined && (
            <Fact name="Deleting since">
              <Time at={metadata.deletionTimestamp} />
            </Fact>
          )}
          <Fact name="Generation">{metadata.generation ?? '–'}</Fact>
          <Fact name="UID">
            <code>{metadata.uid}</code>
          </Fact>
          {metadata.finalizers !== undefined && <Fact name="Finalizers">{metadata.finalizers.join(', ')}</Fact>}
          {metadata.ownerReferences !== undefined && (
            <Fact name="Owners">
              <Owners object={object} />
            </Fact>
          )}
        </dl>
        <Pairs title="Labels" pairs={metadata.labels} />
        <Pairs title="Annotations" pairs={metadata.annotations} />
      </section>
      <Values title="Spec" value={spec} />
      <Values title="Status" value={withoutConditions(status)} />
      {kind === 'Secret' ? <SecretKeys data={data} /> : <Values title="Data" value={data} />}
    </div>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: React.ReactNode }) => (
  <div className="fact">
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

function Owners({ object }: { readonly object: KubeObject }) {
  const { cluster, kinds } = useCluster();
  return (object.metadata.ownerReferences ?? []).map(owner => {
    const kind = kindOfObject(kinds, owner);
    const text = `${owner.kind}/${owner.name}`;
    const namespace = kind?.isNamespaced ? (object.metadata.namespace ?? '') : '';
    return kind === undefined ? (
      <span key={owner.uid}>{plainText(text)}</span>
    ) : (
      <Link key={owner.uid} href={objectHref(cluster, kind, { namespace, name: owner.name })}>
        {plainText(text)}
      </Link>
    );
  });
}

function Pairs({
  title,
  pairs,
}: {
  readonly title: string;
  readonly pairs: Readonly<Record<string, string>> | undefined;
}) {
  if (pairs === undefined || Object.keys(pairs).length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="pairs">
        {Object.entries(pairs).map(([name, value]) => (
          <li key={name}>
            <span className="pair-name">{plainText(name)}</span> {plainText(value)}
          </li>
        ))}
      </ul>
    </>
  );
}

function withoutConditions(status: unknown): unknown {
  if (typeof status !== 'object' || status === null) return status;
  const { conditions: _shownElsewhere, ...rest } = status as Record<string, unknown>;
  return rest;
}

/** Values of Secrets are not shown: who needs one reads it in the YAML. */
function SecretKeys({ data }: { readonly data: unknown }) {
  const names = Object.keys(data ?? {});
  return (
    <section className="card">
      <h2>Keys</h2>
      {names.length === 0 ? <p className="quiet">None</p> : <p>{names.map(plainText).join(', ')}</p>}
    </section>
  );
}

function Values({ title, value }: { readonly title: string; readonly value: unknown }) {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return null;
  return (
    <section className="card">
      <h2>{title}</h2>
      <ValueList value={value as Readonly<Record<string, unknown>>} depth={0} />
    </section>
  );
}

/** Deeper values are shown as text: the YAML has them all. */
const maxDepth = 3;

function ValueList({ value, depth }: { readonly value: Readonly<Record<string, unknown>>; readonly depth: number }) {
  return (
    <dl className="facts">
      {Object.entries(value).map(([name, entry]) => (
        <Fact key={name} name={plainText(name)}>
          {isMap(entry) && depth < maxDepth ? (
            <ValueList value={entry} depth={depth + 1} />
          ) : (
            <span className="value">{plainText(textOf(entry))}</span>
          )}
        </Fact>
      ))}
    </dl>
  );
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, Array.isArray(value) ? 2 : 0) ?? '');
