import { type QuotaLine, quotaSource, readProductIds, readQuotaOf } from '../../api/fleet.ts';
import { Meter } from '../../ui/meter.tsx';
import { FailureNotice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { useRefreshed } from '../../ui/use-refreshed.ts';
import { readOrganisation } from './organisations.ts';

const refreshMs = 10_000;

interface ProductQuota {
  readonly product: string;
  readonly lines: readonly QuotaLine[];
}

/** What a workspace may order of products with a quota, and what it has. */
export function QuotaCard({ namespace }: { readonly namespace: string }) {
  const { value, error } = useRefreshed(signal => readQuotas(namespace, signal), [namespace], refreshMs);
  return (
    <section className="card" aria-label="Quota">
      <h2>Quota</h2>
      {error !== undefined && <FailureNotice goal="read the quota" error={error} />}
      {value?.every(({ lines }) => lines.length === 0) && (
        <p className="quiet">
          It has no quota of its own and uses none: what needs some is offered as a trial. Operators give quota.
        </p>
      )}
      <dl className="region-types">
        {value?.flatMap(({ product, lines }) =>
          lines.map(line => (
            <div key={[product, line.type, line.username, line.source].join('|')}>
              <dt>
                {plainText(product)} <span className="quiet">· {wordOf(line)}</span>
              </dt>
              <dd>
                <Meter label={`Quota of ${plainText(product)}`} used={line.used} limit={line.limit ?? undefined} />
              </dd>
            </div>
          )),
        )}
      </dl>
    </section>
  );
}

const wordOf = ({ type, username = '', source }: QuotaLine): string =>
  plainText(type === 'trial' ? `trials of ${username}` : `from ${quotaSource(source)}`);

/** A landscape has few products; the first ones are shown. */
const maxProducts = 20;

async function readQuotas(namespace: string, signal: AbortSignal): Promise<readonly ProductQuota[]> {
  const [organisation, products] = await Promise.all([readOrganisation(namespace, signal), readProductIds(signal)]);
  return Promise.all(
    products
      .slice(0, maxProducts)
      .map(async product => ({ product, lines: await readQuotaOf(product, organisation, signal) })),
  );
}
