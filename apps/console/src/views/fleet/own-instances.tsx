import { type ListedInstance, type ListPage, readOwnInstances } from '../../api/fleet.ts';
import { Link } from '../../routing/link.tsx';
import { changeQuery, useViewLocation, viewHref } from '../../routing/location.ts';
import { pageHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { EmptyState, FailureNotice, Loading } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { Rows } from '../../ui/rows.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Time } from '../../ui/time.tsx';
import { useRefreshed } from '../../ui/use-refreshed.ts';
import { useLoaded } from '../../ui/use-request.ts';
import { Pages } from '../kind-list/kind-list-page.tsx';
import { FilterField } from '../kind-list/list-filters.tsx';
import { pageOf, pageSize } from '../kind-list/list-query.ts';
import { readOrganisations } from '../tenants/organisations.ts';
import { markOfInstance } from './fleet-objects.ts';

const refreshMs = 3000;

/** The instances of the user's own organisations, for those who see no others. */
export function OwnInstances({ product }: { readonly product: string }) {
  const { query } = useViewLocation();
  const { value: organisations, error } = useLoaded(readOrganisations, []);
  if (error !== undefined) return <FailureNotice goal="read your tenants" error={error} />;
  if (organisations === undefined) return <Loading what="your tenants" />;
  const organisation = query.get('organisation') ?? organisations[0];
  if (organisation === undefined)
    return (
      <EmptyState title="You are a member of no workspace">
        <p className="quiet">Instances belong to one: create it under "Tenants", or ask its administrator.</p>
      </EmptyState>
    );
  return (
    <>
      <div className="toolbar">
        <label className="field-inline">
          <span>Tenant</span>
          <select
            value={organisation}
            onChange={({ target }) => changeQuery({ organisation: target.value, page: undefined })}
          >
            {[...new Set([...organisations, organisation])].map(name => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <FilterField label="Search" parameter="q" value={query.get('q') ?? ''} placeholder="name" />
      </div>
      <OwnPage key={organisation} product={product} organisation={organisation} />
    </>
  );
}

interface OwnPageProps {
  readonly product: string;
  readonly organisation: string;
}

function OwnPage({ product, organisation }: OwnPageProps) {
  const { cluster } = useCluster();
  const { query } = useViewLocation();
  const page = pageOf(query);
  const search = query.get('q') ?? '';
  const { value, error } = useRefreshed(
    signal => readOwnInstances(product, organisation, { page, size: pageSize, search }, signal),
    [product, organisation, page, search],
    refreshMs,
  );
  if (error !== undefined) return <FailureNotice goal={`list the instances of ${product}`} error={error} />;
  if (value === undefined) return <Loading what="your instances" />;
  if (value.total === 0)
    return (
      <EmptyState
        title={search === '' ? `You have no instance of ${product}` : `No instance has "${search}" in its name`}
      >
        {search === '' && (
          <Link className="button button-primary" href={pageHref(cluster, 'catalogue', { ns: organisation })}>
            Order one…
          </Link>
        )}
      </EmptyState>
    );
  return (
    <InstanceRows
      label={`Instances of ${product}`}
      list={value}
      page={page}
      hrefOf={({ id }) => viewHref([cluster, 'fleet', 'own', product, id], { organisation })}
    />
  );
}

interface InstanceRowsProps {
  readonly label: string;
  readonly list: ListPage<ListedInstance>;
  readonly page: number;
  readonly hrefOf: (instance: ListedInstance) => string;
}

/** A page of instances as REST lists them. */
export const InstanceRows = ({ label, list, page, hrefOf }: InstanceRowsProps) => (
  <>
    <Rows label={label} headings={['State', 'Name', 'Owner', 'Size', 'Host', 'Age']}>
      {list.items.map(instance => (
        <tr key={instance.id}>
          <td>
            <StateMark {...markOfInstance(instance.status)} reason={instance.failed_reason} />
          </td>
          <td>
            <Link className="row-link" href={hrefOf(instance)}>
              {plainText(instance.name ?? instance.id)}
            </Link>
          </td>
          <td>{plainText([instance.owner, instance.organisation_id].filter(Boolean).join(' · '))}</td>
          <td>{plainText([instance.instance_type, instance.size_id].filter(Boolean).join('.'))}</td>
          <td>{plainText(instance.host ?? '–')}</td>
          <td>
            <Time at={instance.created_at} isAge />
          </td>
        </tr>
      ))}
    </Rows>
    <Pages total={list.total} page={page} />
  </>
);
