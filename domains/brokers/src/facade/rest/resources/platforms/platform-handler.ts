import { ownPlatformId } from '../../../../kinds/index.ts';
import { platformResource, platformView } from '../../../../model/resources/platforms.ts';
import { operatorFieldsOf, queryFieldsOf } from '../../../../model/resources/resource.ts';
import type { PlatformRow } from '../../../../model/rows.ts';
import type { BrokerSettings } from '../../../../settings.ts';
import { isConnected } from '../../../notifications/is-connected.ts';
import type { HandlerDeps } from '../../resource-handler.ts';
import type { RestHandler } from '../../routes/any-handler.ts';
import type { StartCascade } from '../../shared/start-cascade.ts';
import { createPlatform } from './create-platform.ts';
import { deletePlatform } from './delete-platform.ts';
import { patchPlatform } from './patch-platform.ts';

/** What platforms need. */
export interface PlatformDeps extends HandlerDeps {
  readonly settings: Pick<BrokerSettings, 'protectedLabels' | 'maxPingPeriodMs'>;
  /** Begins the deletion of a platform with everything on it. */
  readonly startCascade: StartCascade;
}

/** Platforms: registered deployments that consume services for their users. */
export function createPlatformHandler(deps: PlatformDeps): RestHandler<'platforms'> {
  return {
    table: 'platforms',
    path: '/v1/platforms',
    noun: 'platform',
    plural: 'platforms',
    isAsync: false,
    hasBulkDelete: true,
    hasCascade: true,
    fields: {
      ...queryFieldsOf<PlatformRow>(platformResource),
      active: { type: 'boolean', read: platform => isConnected(platform, new Date(), deps.settings) },
    },
    hiddenFields: ['active', ...operatorFieldsOf(platformResource)],
    view: platformView,
    isVisible: ({ spec }) => spec.technical !== true,
    isProtected: ({ id }) => id === ownPlatformId,
    create: request => createPlatform(deps, request),
    patch: (row, request) => patchPlatform(deps, row, request),
    remove: (row, request) =>
      request.isCascade ? deps.startCascade({ table: 'platforms', row }, request) : deletePlatform(deps, row, request),
  };
}
