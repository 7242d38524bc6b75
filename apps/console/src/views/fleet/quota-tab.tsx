import { type QuotaLine, quotaSource, readQuota } from '../../api/fleet.ts';
import { useViewLocation } from '../../routing/location.ts';
import { Meter } from '../../ui/meter.tsx';
import { EmptyState, FailureNotice, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { Rows } from '../../ui/rows.tsx';
import { useRefreshed } from '../../ui/use-refreshed.ts';
import { Pages } from '../kind-list/kind-list-page.tsx';
import { FilterField } from '../kind-list/list-filters.tsx';
import { pageOf, pageSize } from '../kind-list/list-query.ts';
import { useOperator } from './fleet-kinds.ts';

const refreshMs = 10_000;

/** Who may order how much of a product, and what is used of it. */
export function QuotaTab({ product }: { readonly product: string }) {
  const { isKnown, denial } = useOperator();
  if (!isKnown) return <Loading what="your rights" />;
  if (denial !== undefined)
    return (
      <Notice kind="info">
        <strong>The quota of all organisations is shown to operators</strong>
        <p>{denial}. That of a workspace of yours is with it, under "Tenants".</p>
      </Notice>
    );
  return <AllQuota product={product} />;
}

function AllQuota({ product }: { readonly product: string }) {
  const { query } = useViewLocation();
  const organisation = query.get('q') ?? '';
  const { value: lines, error } = useRefreshed(
    signal => readQuota(product, organisation, signal),
    [product, organisation],
    refreshMs,
  );
  const first = (pageOf(query) - 1) * pageSize;
  return (
    <>
      <div className="toolbar">
        <FilterField label="Organisation" parameter="q" value={organisation} placeholder="its whole name" />
      </div>
      {error !== undefined && <FailureNotice goal={`read the quota of ${product}`} error={error} />}
      {lines === undefined && error === undefined && <Loading what="the quota" />}
      {lines?.length === 0 && (
        <EmptyState title={organisation === '' ? 'No quota is given or used' : `"${organisation}" has no quota`}>
          <p className="quiet">Quota comes from the configuration document, or from a QuotaGrant.</p>
        </EmptyState>
      )}
      {lines !== undefined && lines.length > 0 && (
        <>
          <QuotaRows lines={lines.slice(first, first + pageSize)} />
          <Pages total={lines.length} page={pageOf(query)} />
        </>
      )}
    </>
  );
}

/** Lines of quota with what is used. */
export const QuotaRows = ({ lines }: { readonly lines: readonly QuotaLine[] }) => (
  <Rows label="Quota" headings={['For', 'Type', 'Used', 'Users', 'From']}>
    {lines.map(line => (
      <tr key={[line.type, line.organisation, line.username, line.source].join('|')}>
        <td>{plainText(holderOf(line))}</td>
        <td>{typeWords[line.type]}</td>
        <td>
          <Meter
            label={`Quota of ${plainText(line.organisation ?? line.username ?? '')}`}
            used={line.used}
            limit={line.limit ?? undefined}
          />
        </td>
        <td>{usersText(line)}</td>
        <td>{plainText(quotaSource(line.source))}</td>
      </tr>
    ))}
  </Rows>
);

const holderOf = ({ type, username = '', organisation = '' }: QuotaLine): string =>
  type === 'account' ? username : organisation === '*' ? 'All others' : organisation;

const typeWords = { organisation: 'Organisation', account: 'Account', trial: 'Trial' } as const;

/** Names of users are many in a large organisation. */
const maxUsers = 3;

function usersText({ type, username = '', users }: QuotaLine): string {
  if (type === 'trial') return plainText(username);
  if (users === undefined) return 'All';
  if (users.length === 0) return 'Nobody';
  const shown = users.slice(0, maxUsers).map(plainText).join(', ');
  return users.length > maxUsers ? `${shown} and ${users.length - maxUsers} more` : shown;
}
