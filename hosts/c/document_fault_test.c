/* SPDX-License-Identifier: Apache-2.0 */
/* Every fault of a group document is one line that says where it is and what would be right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "segue/host.h"

enum { MESSAGE_MOST = 300 };

/* A document and its message; single quotes stand for double ones in both. */
typedef struct fault {
    const char *document;
    const char *message;
} fault;

static char *unquoted(const char *quoted)
{
    char *text = strdup(quoted);
    for (char *quote = strchr(text, '\''); quote != NULL; quote = strchr(quote, '\'')) {
        *quote = '"';
    }
    return text;
}

static int32_t refuse(const char *text, size_t size, char *message, size_t room)
{
    segue_error error = {.size = sizeof error, .text = message, .text_size = (uint32_t)room};
    segue_document *document = NULL;
    message[0] = '\0';
    int32_t status = segue_document_read(text, size, "g.json", &document, &error);
    if (status == SEGUE_OK) {
        segue_document_free(document);
        fail_msg("nothing was refused in %.*s", (int)size, text);
    }
    assert_null(document);
    assert_int_equal(error.code, status);
    assert_null(strchr(message, '\n'));
    assert_true(strlen(message) <= MESSAGE_MOST);
    return status;
}

static void assert_faults(const fault *faults, size_t count, int32_t status)
{
    for (size_t i = 0; i < count; i++) {
        char message[1000];
        char *text = unquoted(faults[i].document);
        char *wanted = unquoted(faults[i].message);
        assert_int_equal(refuse(text, strlen(text), message, sizeof message), status);
        assert_string_equal(message, wanted);
        free(text);
        free(wanted);
    }
}

#define ASSERT_FAULTS(faults, status) assert_faults(faults, sizeof(faults) / sizeof((faults)[0]), status)

static void text_that_is_no_document_is_refused_with_line_and_column(void **state)
{
    (void)state;
    static const fault faults[] = {
        {"", "g.json:1:0: "},
        {"{'a':1,\n 'a':2}", "g.json:2:4: duplicate object key"},
        {"{}{}", "g.json:1:3: end of file expected"},
        {"{'\\u0000':1}", "g.json:1:9: a NUL character is not allowed"},
        {"{'a':'\\u0000'}", "g.json:1:13: a NUL character is not allowed"},
        {"{'a':1e400}", "g.json:1:10: real number overflow"},
        {"{'a':99999999999999999999}", "g.json:1:25: too big integer"},
        {"{'a':NaN}", "g.json:1:8: invalid token"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char message[1000];
        char *text = unquoted(faults[i].document);
        assert_int_equal(refuse(text, strlen(text), message, sizeof message), SEGUE_E_SYNTAX);
        message[strlen(faults[i].message)] = '\0';
        assert_string_equal(message, faults[i].message);
        free(text);
    }
}

static void bytes_that_are_no_text_are_refused(void **state)
{
    (void)state;
    static const char *const documents[] = {"{\"a\":\"\xff\"}",     "{\"a\":\"\xed\xa0\x80\"}", "{\"a\":\"\\ud800\"}",
                                            "{\"a\":\"\xc0\x80\"}", "\xef\xbb\xbf{}",           "{\"a\":\"\n\"}"};
    char message[1000];
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        assert_int_equal(refuse(documents[i], strlen(documents[i]), message, sizeof message), SEGUE_E_SYNTAX);
        assert_memory_equal(message, "g.json:1:", strlen("g.json:1:"));
    }
    assert_int_equal(refuse("{\"a\":\0 1}", 9, message, sizeof message), SEGUE_E_SYNTAX);
}

static void nesting_has_a_limit(void **state)
{
    (void)state;
    size_t depth = 1000000;
    char *text = malloc(depth);
    char message[1000];
    memset(text, '[', depth);
    assert_int_equal(refuse(text, depth, message, sizeof message), SEGUE_E_SYNTAX);
    assert_non_null(strstr(message, "nested too deep"));
    free(text);
}

static void other_documents_are_refused_by_their_kind(void **state)
{
    (void)state;
    static const fault faults[] = {
        {"[]", "g.json: a list is given; a segue group is an object"},
        {"{}", "g.json: segue: missing; a string is needed"},
        {"{'segue':'plan/1','assignor':'x'}", "g.json: segue: 'plan/1' is given; 'group/1' is needed"},
        {"{'segue':'group/2','members':[]}", "g.json: segue: 'group/2' is given; 'group/1' is needed"},
        {"{'segue':1}", "g.json: segue: 1 is given; a string is needed"},
    };
    ASSERT_FAULTS(faults, SEGUE_E_SYNTAX);
}

#define M "{'segue':'group/1','subtopologies':[{'id':0,'partitions':2}],'members':[{'id':'a'},{'id':'b',"

static void faults_of_members_name_the_member(void **state)
{
    (void)state;
    static const fault faults[] = {
        {M "'threads':'2'}]}", "g.json: members[1].threads: '2' is a string; a whole number >= 0 is needed"},
        {M "'threads':-1}]}", "g.json: members[1].threads: -1 is given; a whole number >= 0 is needed"},
        {M "'threads':1.5}]}", "g.json: members[1].threads: 1.5 is given; a whole number >= 0 is needed"},
        {M "'threads':null}]}", "g.json: members[1].threads: null is given; a whole number >= 0 is needed"},
        {M "'threads':true}]}", "g.json: members[1].threads: true is given; a whole number >= 0 is needed"},
        {M "'threads':[]}]}", "g.json: members[1].threads: a list is given; a whole number >= 0 is needed"},
        {M "'threads':1e300}]}", "g.json: members[1].threads: 1e300 is given; a whole number >= 0 is needed"},
        {M "'threads':1048577}]}",
         "g.json: members[1].threads: 1048577 is given; a whole number from 0 to 1048576 is needed"},
        {M "'threads':false}]}", "g.json: members[1].threads: false is given; a whole number >= 0 is needed"},
        {M "'threads':{}}]}", "g.json: members[1].threads: an object is given; a whole number >= 0 is needed"},
        {M "'threads':-1e300}]}", "g.json: members[1].threads: -1e300 is given; a whole number >= 0 is needed"},
        {M "'thread':1}]}", "g.json: members[1].thread: unknown key; the nearest known one is 'threads'"},
        {M "'qqqqqqqqqqqq':1}]}", "g.json: members[1].qqqqqqqqqqqq: unknown key"},
        {M "'process':''}]}", "g.json: members[1].process: empty; a text is needed"},
        {M "'rack':7}]}", "g.json: members[1].rack: 7 is given; a string is needed"},
        {M "'tags':{'zone':7}}]}", "g.json: members[1].tags['zone']: 7 is given; a string is needed"},
        {M "'active':{}}]}", "g.json: members[1].active: an object is given; a list is needed"},
        {M "'active':['0_0',1]}]}", "g.json: members[1].active[1]: 1 is given; a string is needed"},
        {M "'active':['0_0','0_1','0_0']}]}", "g.json: members[1].active[2]: '0_0' is listed twice"},
        {M "'lag':[]}]}", "g.json: members[1].lag: a list is given; an object is needed"},
        {M "'lag':{'0_1':-5}}]}", "g.json: members[1].lag['0_1']: -5 is given; a whole number >= 0 is needed"},
        {M "'lag':{'9_9':'x'}}]}", "g.json: members[1].lag['9_9']: 'x' is a string; a whole number >= 0 is needed"},
        {M "'leaving':true}]}", "g.json: members[1].leaving: true is given; an object is needed"},
        {M "'leaving':{'deadline_ms':1}}]}", "g.json: members[1].leaving.since_ms: missing; a whole number is needed"},
        {M "'leaving':{'since_ms':0,'deadline':1}}]}",
         "g.json: members[1].leaving.deadline: unknown key; the nearest known one is 'deadline_ms'"},
        {M "'leaving':{'since_ms':0,'deadline_ms':false}}]}",
         "g.json: members[1].leaving.deadline_ms: false is given; a whole number is needed"},
        {M "'leaving':{'since_ms':-4611686018427387905}}]}",
         "g.json: members[1].leaving.since_ms: -4611686018427387905 is given; a whole number >= -4611686018427387904 is needed"},
        {M "'x-a':0},{'id':'a'}]}", "g.json: members[2].id: 'a' is the id of members[0] as well"},
        {M "'x-a':0},{}]}", "g.json: members[2].id: missing; a string is needed"},
        {M "'x-a':0},4]}", "g.json: members[2]: 4 is given; an object is needed"},
        {"{'segue':'group/1'}", "g.json: members: missing; a list is needed"},
        {"{'segue':'group/1','members':[]}", "g.json: members: empty; at least one member is needed"},
        {"{'segue':'group/1','member':[]}", "g.json: member: unknown key; the nearest known one is 'members'"},
    };
    ASSERT_FAULTS(faults, SEGUE_E_SYNTAX);
}

#define S "{'segue':'group/1','members':[{'id':'a'}],'subtopologies':["
#define T "{'segue':'group/1','members':[{'id':'a'}],'tasks':["

static void faults_of_tasks_name_the_task(void **state)
{
    (void)state;
    static const fault faults[] = {
        {S "{'id':0}]}", "g.json: subtopologies[0].partitions: missing; a whole number >= 1 is needed"},
        {S "{'id':0,'partitions':0}]}",
         "g.json: subtopologies[0].partitions: 0 is given; a whole number >= 1 is needed"},
        {S "{'id':0,'partitions':2000000000}]}",
         "g.json: subtopologies[0].partitions: 2000000000 is given; a whole number from 1 to 16777216 is needed"},
        {S "{'id':0,'partitions':16777216},{'id':1,'partitions':1}]}",
         "g.json: subtopologies and tasks make 16777217 tasks; at most 16777216 are possible"},
        {S "{'id':0,'partitions':1},{'id':'0','partitions':1}]}",
         "g.json: subtopologies[1].id: '0' is the id of an earlier one as well"},
        {S "{'id':-1,'partitions':1}]}", "g.json: subtopologies[0].id: -1 is given; a whole number >= 0 is needed"},
        {S "{'id':null,'partitions':1}]}", "g.json: subtopologies[0].id: null is given; a whole number >= 0 is needed"},
        {S "{'id':0,'partitions':1,'statefull':true}]}",
         "g.json: subtopologies[0].statefull: unknown key; the nearest known one is 'stateful'"},
        {T "{'id':'1_0','weight':0}]}", "g.json: tasks[0].weight: 0 is given; a number > 0 is needed"},
        {T "{'id':'1_0','weight':'2'}]}", "g.json: tasks[0].weight: '2' is a string; a number > 0 is needed"},
        {T "{'id':'1_0','stateful':1}]}", "g.json: tasks[0].stateful: 1 is given; true or false is needed"},
        {T "{'id':'1_0','state_bytes':-1}]}",
         "g.json: tasks[0].state_bytes: -1 is given; a whole number >= 0 is needed"},
        {T "{'id':'1_0','state_bytes':true}]}",
         "g.json: tasks[0].state_bytes: true is given; a whole number >= 0 is needed"},
        {T "{'id':'1_0','weight':-0.5}]}", "g.json: tasks[0].weight: -0.5 is given; a number > 0 is needed"},
        {T "{'id':'1_0','weight':null}]}", "g.json: tasks[0].weight: null is given; a number > 0 is needed"},
        {T "{'id':'1_0','weight':2,'stateful':null}]}", "g.json: tasks[0].stateful: null is given; true or false is needed"},
        {T "{'id':'1_5'},{'id':'1_5'}]}", "g.json: tasks[1].id: '1_5' is the id of an earlier task as well"},
        {T "{'id':5}]}", "g.json: tasks[0].id: 5 is given; a string is needed"},
        {T "{'id':'1_0','partitions':4}]}", "g.json: tasks[0].partitions: 4 is given; a list is needed"},
        {T "{'id':'1_0','partitions':[{'partition':0}]}]}",
         "g.json: tasks[0].partitions[0].topic: missing; a string is needed"},
        {T "{'id':'1_0','partitions':[{'topic':'t','partition':0,'racks':[null]}]}]}",
         "g.json: tasks[0].partitions[0].racks[0]: null is given; a string is needed"},
        {T "{'id':'1_0','partitions':[{'topic':'t','partition':0},{'topic':'t','partition':0}]}]}",
         "g.json: tasks[0].partitions[1]: partition 0 of 't' is listed twice"},
        {"{'segue':'group/1','config':{'rack.aware.assignment.tags':7}}",
         "g.json: config['rack.aware.assignment.tags']: 7 is given; a list is needed"},
        {"{'segue':'group/1','config':{'rack.aware.assignment.tags':['a',7]}}",
         "g.json: config['rack.aware.assignment.tags'][1]: 7 is given; a string is needed"},
        {"{'segue':'group/1','subtopologies':7,'tasks':{}}", "g.json: subtopologies: 7 is given; a list is needed"},
        {"{'segue':'group/1','tasks':{}}", "g.json: tasks: an object is given; a list is needed"},
        {"{'segue':'group/1','now_ms':'1'}", "g.json: now_ms: '1' is a string; a whole number is needed"},
    };
    ASSERT_FAULTS(faults, SEGUE_E_SYNTAX);
}

#define C "{'segue':'group/1','members':[{'id':'a'}],'config':{"

static void faults_of_the_configuration_name_the_key(void **state)
{
    (void)state;
    static const fault faults[] = {
        {C "'num.standby.replicas':-1}}", "num.standby.replicas"},
        {C "'num.standby.replicas':'many'}}", "num.standby.replicas"},
        {C "'num.standby.replicas':[1]}}", "num.standby.replicas"},
        {C "'segue.max.learner':1}}", "segue.max.learners"},
        {C "'segue.max.learners':null}}", "null is given; a text, a number or true or false is needed"},
        {C "'segue.max.learners':{}}}", "an object is given; a text, a number or true or false is needed"},
        {C "'segue.max.learners':[]}}", "a list is given; a text, a number or true or false is needed"},
        {C "'num.standby.replicas':false}}", "num.standby.replicas is false: it must be a whole number"},
        {C "'learner.partial.rebalance':7}}", "learner.partial.rebalance is 7: it must be false or true"},
        {C "'stream.imbalance.percentage':100.5}}", "stream.imbalance.percentage"},
        {C "'stream.imbalance.percentage':'-0.5'}}", "stream.imbalance.percentage"},
        {C "'segue.nonsense':{}}}", "segue.nonsense"},
        {C "'learner.partial.rebalance':'maybe'}}", "learner.partial.rebalance"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char message[1000];
        char *text = unquoted(faults[i].document);
        assert_int_equal(refuse(text, strlen(text), message, sizeof message), SEGUE_E_CONFIG);
        assert_memory_equal(message, "g.json: config", strlen("g.json: config"));
        assert_non_null(strstr(message, faults[i].message));
        free(text);
    }
}

/* As many dimensions as there may be, and one more; naming one twice, or nothing, is no dimension. */
static void tags_are_listed_once_and_have_a_limit(void **state)
{
    (void)state;
    enum { MANY = 600 };
    char *text = malloc(MANY * 12 + 200), message[1000];
    for (int as_text = 0; as_text < 2; as_text++) {
        char *end = text + sprintf(text, "{\"segue\":\"group/1\",\"config\":{\"rack.aware.assignment.tags\":%s",
                                   as_text ? "\" , a , a," : "[\"a\",\"a\"");
        for (int i = 0; i < MANY; i++) {
            end += sprintf(end, as_text ? "t%d , " : ",\"t%d\"", i);
        }
        strcpy(end, as_text ? "\"}}" : "]}}");
        assert_int_equal(refuse(text, strlen(text), message, sizeof message), SEGUE_E_CONFIG);
        assert_non_null(strstr(message, "more than "));
    }
    segue_document *document = NULL;
    strcpy(text, "{\"segue\":\"group/1\",\"config\":{\"rack.aware.assignment.tags\":\",  , a, a ,b\"},"
                 "\"members\":[{\"id\":\"m\",\"tags\":{\"b\":\"x\"}}]}");
    assert_int_equal(segue_document_read(text, strlen(text), NULL, &document, NULL), SEGUE_OK);
    assert_int_equal(segue_document_group(document)->tag_count, 2);
    segue_document_free(document);
    free(text);
}

/* The end of a long path says more than its beginning, and begins with a whole character. */
static void a_long_source_is_shown_by_its_end(void **state)
{
    (void)state;
    char source[400], message[1000] = "";
    for (size_t odd = 0; odd < 2; odd++) {
        segue_document *document = NULL;
        segue_error error = {.size = sizeof error, .text = message, .text_size = sizeof message};
        memset(source, 'x', sizeof source);
        for (size_t i = odd; i + 9 < sizeof source; i += 2) {
            memcpy(source + i, "\xc3\xa9", 2);
        }
        strcpy(source + sizeof source - 8, "/g.json");
        assert_int_equal(segue_document_read("{}", 2, source, &document, &error), SEGUE_E_SYNTAX);
        assert_non_null(strstr(message, "/g.json: segue: missing"));
        assert_true(strlen(message) < 300);
        assert_null(strchr(message, '?'));
        assert_int_equal(segue_document_read("{", 1, source, &document, &error), SEGUE_E_SYNTAX);
        assert_non_null(strstr(message, "/g.json:1:1: "));
    }
}

static void long_names_are_cut_in_messages(void **state)
{
    (void)state;
    char *text = malloc(400000);
    char message[1000];
    char name[100001];
    for (size_t i = 0; i < sizeof name - 1; i++) {
        name[i] = i % 2 == 0 ? '\xc3' : '\xa9';
    }
    name[sizeof name - 1] = '\0';
    sprintf(text, "{\"segue\":\"group/1\",\"members\":[{\"id\":\"a\",\"lag\":{\"%s\":\"%s\"}}]}", name, name);
    refuse(text, strlen(text), message, sizeof message);
    assert_non_null(strstr(message, "...\" is a string; a whole number >= 0 is needed"));
    sprintf(text, "{\"segue\":\"group/1\",\"%s\":1}", name);
    refuse(text, strlen(text), message, sizeof message);
    assert_non_null(strstr(message, "...: unknown key"));
    free(text);
}

static void a_message_fits_the_callers_buffer(void **state)
{
    (void)state;
    char message[8] = "1234567";
    segue_error error = {.size = sizeof error, .text = message, .text_size = 4};
    segue_document *document = NULL;
    assert_int_equal(segue_document_read("{}", 2, "g.json", &document, &error), SEGUE_E_SYNTAX);
    assert_string_equal(message, "g.j");
    assert_string_equal(message + 4, "567");
    assert_int_equal(segue_document_read("{}", 2, NULL, &document, NULL), SEGUE_E_SYNTAX);
    assert_int_equal(segue_document_read("{}", 2, NULL, NULL, NULL), SEGUE_E_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_that_is_no_document_is_refused_with_line_and_column),
        cmocka_unit_test(bytes_that_are_no_text_are_refused),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(other_documents_are_refused_by_their_kind),
        cmocka_unit_test(faults_of_members_name_the_member),
        cmocka_unit_test(faults_of_tasks_name_the_task),
        cmocka_unit_test(faults_of_the_configuration_name_the_key),
        cmocka_unit_test(tags_are_listed_once_and_have_a_limit),
        cmocka_unit_test(a_long_source_is_shown_by_its_end),
        cmocka_unit_test(long_names_are_cut_in_messages),
        cmocka_unit_test(a_message_fits_the_callers_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
