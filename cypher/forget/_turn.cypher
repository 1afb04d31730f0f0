// A turn goes with its parts; criteria and transcripts are shared, so they are looked at afterwards.
WITH t,
     size([(t)-[:RECORDED]->(x:Verification) | 1]) AS verifications,
     size([(t)-[:PROMISED]->(x:Promise) | 1]) AS promises,
     size([(t)-[:RAISED]->(x:Issue) | 1]) AS issues,
     size([(t)-[:PASSED_THROUGH]->(x:Gate) | 1]) AS gates
CALL (t) { MATCH (t)-[:RECORDED]->(x:Verification) DETACH DELETE x }
CALL (t) { MATCH (t)-[:PROMISED]->(x:Promise) DETACH DELETE x }
CALL (t) { MATCH (t)-[:RAISED]->(x:Issue) DETACH DELETE x }
CALL (t) { MATCH (t)-[:PASSED_THROUGH]->(x:Gate) DETACH DELETE x }
DETACH DELETE t
RETURN count(*) AS turns, sum(verifications) AS verifications, sum(promises) AS promises, sum(issues) AS issues,
       sum(gates) AS gates
