import { ownPlatformId } from '../../../../kinds/index.ts';
import { platformView } from '../../../../model/resources/platforms.ts';
import type { BrokerSettings } from '../../../../settings.ts';
import type { HandlerNeeds } from '../../resource-handler.ts';
import type { RestHandler } from '../../routes/any-handler.ts';
import type { StartCascade } from '../../shared/start-cascade.ts';
import { createPlatform } from './create-platform.ts';
import { deletePlatform } from './delete-platform.ts';
import { patchPlatform } from './patch-platform.ts';
import { platformFields } from './platform-fields.ts';

/** What platforms need. */
export interface PlatformNeeds extends HandlerNeeds {
  readonly settings: Pick<BrokerSettings, 'protectedLabels' | 'maxPingPeriodMs'>;
  /** Begins the deletion of a platform with everything on it. */
  readonly startCascade: StartCascade;
}

/** Platforms: registered deployments that consume services for their users. */
export function createPlatformHandler(needs: PlatformNeeds): RestHandler<'platforms'> {
  return {
    table: 'platforms',
    path: '/v1/platforms',
    noun: 'platform',
    plural: 'platforms',
    isAsync: false,
    hasBulkDelete: true,
    hasCascade: true,
    fields: platformFields(needs.settings),
    hiddenFields: ['active', 'last_active', 'version', 'username', 'technical', 'credentials_active'],
    view: platformView,
    isVisible: ({ spec }) => spec.technical !== true,
    isProtected: ({ id }) => id === ownPlatformId,
    create: request => createPlatform(needs, request),
    patch: (row, request) => patchPlatform(needs, row, request),
    remove: (row, request) =>
      request.isCascade
        ? needs.startCascade({ table: 'platforms', row }, request)
        : deletePlatform(needs, row, request),
  };
}
