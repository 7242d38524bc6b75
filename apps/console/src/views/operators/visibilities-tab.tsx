import { useState } from 'react';
import { useDenial } from '../../api/access.ts';
import { everyPlatform, landscapeTenant, readNames } from '../../api/service-manager.ts';
import { useViewLocation } from '../../routing/location.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, FailureNotice, Loading } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { Rows } from '../../ui/rows.tsx';
import { Time } from '../../ui/time.tsx';
import { useLoaded } from '../../ui/use-request.ts';
import { Pages } from '../kind-list/kind-list-page.tsx';
import { pageOf, selectionOf } from '../kind-list/list-query.ts';
import { useLiveTable } from '../kind-list/live-table.ts';
import { brokersCluster, operatorKinds, type VisibilityObject } from './operator-kinds.ts';
import { platformText, WithdrawDialog } from './plan-visibilities.tsx';

/** Which plan is open to which platform, with names in place of ids. */
export function VisibilitiesTab() {
  const { query } = useViewLocation();
  const kind = operatorKinds.visibilities;
  const { table, error } = useLiveTable(brokersCluster, kind, selectionOf(query));
  const rows = (table?.rows ?? []).map(({ object }) => object as unknown as VisibilityObject);
  const planIds = rows.map(({ spec }) => spec.planId);
  const platformIds = rows.flatMap(({ spec }) => spec.platformId || []);
  const { value: names } = useLoaded(
    signal => readNames({ planIds, platformIds }, signal),
    [planIds.join(), platformIds.join()],
  );
  const [asked, setAsked] = useState<VisibilityObject>();
  const denial = useDenial({ cluster: brokersCluster, verb: 'delete', ...kind, namespace: landscapeTenant });
  const nameOf = (id: string): string => names?.get(id) ?? id;
  const platformOf = ({ spec }: VisibilityObject): string =>
    spec.platformId === undefined || spec.platformId === '' ? everyPlatform : nameOf(spec.platformId);
  if (error !== undefined) return <FailureNotice goal="list the visibilities" error={error} />;
  if (table === undefined) return <Loading what="the visibilities" />;
  if (rows.length === 0)
    return (
      <EmptyState title="No plan is open to any platform">
        <p className="quiet">Open one on the page of its broker: choose the plan, then the platform.</p>
      </EmptyState>
    );
  return (
    <>
      <Rows label="Visibilities" headings={['Plan', 'Open to', 'Tenant', 'Age', '']}>
        {rows.map(visibility => {
          const { metadata, spec } = visibility;
          const what = `${nameOf(spec.planId)} from ${platformText(platformOf(visibility))}`;
          return (
            <tr key={metadata.uid}>
              <td>{plainText(nameOf(spec.planId))}</td>
              <td>{platformText(platformOf(visibility))}</td>
              <td>{plainText(metadata.namespace ?? '')}</td>
              <td>
                <Time at={metadata.creationTimestamp} isAge />
              </td>
              <td className="row-actions">
                <Button kind="danger" disabledReason={denial} onClick={() => setAsked(visibility)}>
                  Withdraw…<span className="spoken"> {plainText(what)}</span>
                </Button>
              </td>
            </tr>
          );
        })}
      </Rows>
      <Pages total={table.metadata.totalItemCount ?? rows.length} page={pageOf(query)} />
      {asked !== undefined && (
        <WithdrawDialog
          visibilityId={asked.metadata.name ?? ''}
          planName={nameOf(asked.spec.planId)}
          platform={platformOf(asked)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}
