// The packs that operators curate and everyone can buy (rules §8.6).

import { curatedById } from '../../../persistence/query/read/packs/curated-packs.ts'
import { open } from '../../auth/auth-scheme.ts'
import { cached, lasting, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { means, text } from '../../edge/http/schema/scalars.ts'
import { list } from '../../edge/http/schema/schema.ts'
import { refuse } from '../../messages/refusal.ts'
import { publicRequester } from '../reads/private-reads.ts'
import { curatedPack, curatedView } from './curation.ts'
import { CURATED_EXAMPLE, packUuid, seqOfPackId } from './pack-views.ts'
import type { PackServices } from './services.ts'

export const curatedPacks = route({
  method: 'GET',
  path: '/parlay/packs',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(1)),
  about: 'Lists the curated packs, which everyone can buy; newest first.',
  reply: list(curatedPack()),
  means: 'The complete list; prices are at most one second old.',
  example: { reply: [CURATED_EXAMPLE] },
  handle: async (_input, { curation }: PackServices) => bytes(await curation.encoded()),
})

export const searchCuratedPacks = route({
  method: 'GET',
  path: '/parlay/packs/search',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(1)),
  about: 'Searches curated packs whose name or markets contain all words of a text; newest first.',
  query: { query: means(text(200, 1), 'Words in the name or the markets, in any order.') },
  reply: list(curatedPack()),
  means: 'The matching packs; an empty list for none.',
  example: { query: { query: 'rain' }, reply: [CURATED_EXAMPLE] },
  handle: ({ query }, { curation }: PackServices) => curation.found(query.query),
})

export const curatedPackOfId = route({
  method: 'GET',
  path: '/parlay/packs/:id',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns one curated pack, even after it left the list.',
  params: { id: packUuid('Id of a curated pack.') },
  reply: curatedPack(),
  means: 'The current pack.',
  rejects: ['PACK_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { id: CURATED_EXAMPLE.id }, reply: CURATED_EXAMPLE },
  handle: async ({ params, call }, services: PackServices) => {
    const { curation, pipeline, reads, archive, packs } = services
    const packId = seqOfPackId('curated', params.id)
    const known = pipeline.clearing.packs.curated.byId(packId)
    if (known !== undefined) {
      const view = curation.view(known)
      // The pack may not be durable yet (invariant 1).
      await pipeline.durable()
      return view
    }
    const requester = publicRequester(call)
    const past = await reads.read(curatedById, packId, requester)
    if (past === undefined) return refuse('READ_TIMEOUT')
    if (past === null) return refuse('PACK_NOT_FOUND')
    const ids = new Set(past.legs.map(({ marketId }) => marketId))
    const markets = await archive.byIds(ids, requester)
    if (markets === undefined) return refuse('READ_TIMEOUT')
    const standing = { isListed: false, isOpen: false }
    return curatedView(past, standing, (id) => markets.get(id), packs)
  },
})
