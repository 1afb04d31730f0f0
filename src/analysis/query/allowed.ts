/**
 * Functions and procedures that a free query may call: those that only compute, or read the graph of the
 * query. Excluded are functions that reach files or the network, and procedures of READ mode that still
 * change the server's state (`db.resampleIndex`, `db.stats.clear`, `db.prepareForReplanning`).
 */

const names = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Names in lower case: Cypher ignores the case of its own functions. */
export const FUNCTIONS = names(`
  abs acos all any asin atan atan2 avg btrim ceil char_length character_length coalesce collect cos cosh cot coth count
  date date.realtime date.statement date.transaction date.truncate
  datetime datetime.fromepoch datetime.fromepochmillis datetime.realtime datetime.statement datetime.transaction
  datetime.truncate
  degrees duration duration.between duration.indays duration.inmonths duration.inseconds
  e elementid endnode exists exp floor haversin head id isempty isnan keys labels last left length
  localdatetime localdatetime.realtime localdatetime.statement localdatetime.transaction localdatetime.truncate
  localtime localtime.realtime localtime.statement localtime.transaction localtime.truncate
  log log10 lower ltrim max min nodes none normalize nullif percentilecont percentiledisc pi
  point point.distance point.withinbbox properties radians rand randomuuid range reduce relationships replace reverse
  right round rtrim sign sin single sinh size split sqrt startnode stdev stdevp substring sum tail tan tanh
  time time.realtime time.statement time.transaction time.truncate timestamp
  toboolean tobooleanlist tobooleanornull tofloat tofloatlist tofloatornull tointeger tointegerlist tointegerornull
  tolower tostring tostringlist tostringornull toupper trim type upper valuetype
  vector.similarity.cosine vector.similarity.euclidean
  shortestpath allshortestpaths
`)

const OF_BOTH_ENGINES = 'db.labels db.propertyKeys db.relationshipTypes'

/** The embedded engine has no other procedures for queries. */
export const PROCEDURES = {
  neo4j: names(
    `${OF_BOTH_ENGINES} db.schema.nodeTypeProperties db.schema.relTypeProperties db.schema.visualization`,
  ),
  embedded: names(OF_BOTH_ENGINES),
} as const
export type Engine = keyof typeof PROCEDURES

/** Operators that a plan on Neo4j may contain: all operators in its manual that only read. */
const NEO4J_OPERATORS = names(`
  AllNodesScan Anti AntiSemiApply Apply Argument ArgumentTracker CacheProperties CartesianProduct ConditionalApply
  DirectedAllRelationshipsScan DirectedRelationshipByElementIdSeek DirectedRelationshipByIdSeek
  DirectedRelationshipIndexContainsScan DirectedRelationshipIndexEndsWithScan DirectedRelationshipIndexScan
  DirectedRelationshipIndexSeek DirectedRelationshipIndexSeekByRange DirectedRelationshipTypeScan
  DirectedUnionRelationshipTypesScan Distinct DynamicDirectedRelationshipTypeLookup DynamicLabelNodeLookup
  DynamicUndirectedRelationshipTypeLookup Eager EagerAggregation EmptyResult EmptyRow Expand(All) Expand(Into) Filter
  IntersectionNodeByLabelsScan LetAntiSemiApply LetSelectOrAntiSemiApply LetSelectOrSemiApply LetSemiApply Limit
  MultiNodeIndexSeek NodeByElementIdSeek NodeByIdSeek NodeByLabelScan NodeCountFromCountStore NodeHashJoin
  NodeIndexContainsScan NodeIndexEndsWithScan NodeIndexScan NodeIndexSeek NodeIndexSeekByRange NodeLeftOuterHashJoin
  NodeRightOuterHashJoin NodeUniqueIndexSeek NodeUniqueIndexSeekByRange NullifyMetadata Optional OptionalExpand(All)
  OptionalExpand(Into) OrderedAggregation OrderedDistinct OrderedUnion PartialSort PartialTop PartitionedAllNodesScan
  PartitionedDirectedAllRelationshipsScan PartitionedDirectedRelationshipIndexScan
  PartitionedDirectedRelationshipIndexSeek PartitionedDirectedRelationshipIndexSeekByRange
  PartitionedDirectedRelationshipTypesScan PartitionedDirectedUnionRelationshipTypesScan PartitionedNodeByLabelScan
  PartitionedNodeIndexScan PartitionedNodeIndexSeek PartitionedNodeIndexSeekByRange
  PartitionedSubtractionNodeByLabelsScan PartitionedUndirectedAllRelationshipsScan
  PartitionedUndirectedRelationshipIndexScan PartitionedUndirectedRelationshipIndexSeek
  PartitionedUndirectedRelationshipIndexSeekByRange PartitionedUndirectedRelationshipTypeScan
  PartitionedUndirectedUnionRelationshipTypesScan PartitionedUnionNodeByLabelsScan PartitionedUnwind ProcedureCall
  ProduceResults ProjectEndpoints Projection RelationshipCountFromCountStore Repeat(Trail) Repeat(Walk) Repeat(Acyclic)
  RollUpApply SelectOrAntiSemiApply SelectOrSemiApply SemiApply ShortestPath Skip Sort StatefulShortestPath(All)
  StatefulShortestPath(Into) SubtractionNodeByLabelsScan Top Top1WithTies Union UnionNodeByLabelsScan
  UndirectedAllRelationshipsScan UndirectedRelationshipByElementIdSeek UndirectedRelationshipByIdSeek
  UndirectedRelationshipIndexContainsScan UndirectedRelationshipIndexEndsWithScan UndirectedRelationshipIndexScan
  UndirectedRelationshipIndexSeek UndirectedRelationshipIndexSeekByRange UndirectedRelationshipTypeScan
  UndirectedUnionRelationshipTypesScan Unwind ValueHashJoin VarLengthExpand(All) VarLengthExpand(Into)
  VarLengthExpand(Pruning) VarLengthExpand(Pruning,BFS,All) VarLengthExpand(Pruning,BFS,Into)
`)

/** Grafeo 0.6 prints `Discriminant(51)` for the rows with which a subquery starts. */
const GRAFEO_OPERATORS = names(`
  Aggregate AntiJoin Apply CallProcedure Discriminant(51) Distinct Empty Except Expand Filter Intersect Join LeftJoin Limit NodeScan
  Project Return SemiJoin ShortestPath Skip Sort Union Unwind VariableLengthExpand
`)

export const OPERATORS = { neo4j: NEO4J_OPERATORS, embedded: GRAFEO_OPERATORS } as const
